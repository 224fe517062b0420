import { frameBytes, writeFrame } from "./frame.ts";

const initialBytes = 64 * 1024;
const keptBytes = 4 * 1024 * 1024;

/** The records written to disk together, and the single promise that all who await them share. */
export class Group {
  readonly #salt: number;
  #buffer = Buffer.allocUnsafeSlow(initialBytes);
  length = 0;
  done!: Promise<void>;
  resolve!: () => void;
  reject!: (error: unknown) => void;

  constructor(salt: number) {
    this.#salt = salt;
    this.#renew();
  }

  #renew(): void {
    ({ promise: this.done, resolve: this.resolve, reject: this.reject } = Promise.withResolvers<void>());
    // No caller awaits a group of lazy records; the journal reports the error itself.
    this.done.catch(() => undefined);
  }

  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.length);
  }

  add(payload: Uint8Array): void {
    const needed = this.length + frameBytes + payload.length;
    if (needed > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#buffer.length * 2));
      this.#buffer.copy(larger, 0, 0, this.length);
      this.#buffer = larger;
    }
    this.length = writeFrame(this.#buffer, this.length, payload, this.#salt);
  }

  /** Empties the group for reuse; releases a buffer that a burst made huge. */
  reset(): this {
    if (this.#buffer.length > keptBytes) this.#buffer = Buffer.allocUnsafeSlow(initialBytes);
    this.length = 0;
    this.#renew();
    return this;
  }
}
