import { windowBytes } from "./limits.ts";

/**
 * What the peer may still send on one direction of an exchange, and the credit owed for bytes
 * already consumed.
 */
export class ReceiveWindow {
  #open = windowBytes;
  #owed = 0;

  /** False when the peer exceeded its credit. */
  receive(bytes: number): boolean {
    this.#open -= bytes;
    return this.#open >= 0;
  }

  /** Records consumed bytes. True when enough credit is owed to be worth a frame. */
  consume(bytes: number): boolean {
    this.#owed = Math.min(this.#owed + bytes, windowBytes - this.#open);
    return this.#owed >= windowBytes / 2;
  }

  /** The credit to send now; 0 while it is not worth a frame. */
  grant(): number {
    if (this.#owed < windowBytes / 2) return 0;
    const credit = this.#owed;
    this.#open += credit;
    this.#owed = 0;
    return credit;
  }
}
