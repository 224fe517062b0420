import { windowBytes } from "./limits.ts";

/**
 * What the peer may still send on one direction of an exchange, and what it is owed for bytes
 * already consumed.
 */
export class ReceiveWindow {
  #open = windowBytes;
  #owed = 0;

  /** False when the peer sent more than it was granted. */
  receive(bytes: number): boolean {
    this.#open -= bytes;
    return this.#open >= 0;
  }

  /** Bytes that the consumer is done with. True when enough is owed to be worth a credit frame. */
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
