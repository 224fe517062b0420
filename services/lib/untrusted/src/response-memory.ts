import type { BufferLease } from "./buffer-budget.ts";

/**
 * The memory for the responses of one request's upstream calls: reserved before the first call, by
 * what is expected, and extended where a response is larger.
 */
export class ResponseMemory implements Disposable {
  readonly #lease: BufferLease;
  #used = 0;

  /** @param lease of this memory alone; it is disposed of with it */
  constructor(lease: BufferLease) {
    this.#lease = lease;
  }

  /**
   * @throws {GatewayError} `service_unavailable` when there was no room in time; the signal's
   * reason
   */
  async reserve(bytes: number, signal: AbortSignal): Promise<void> {
    await this.#lease.reserve(bytes, signal);
  }

  /**
   * Accounts for bytes of a response before they are read. Undefined when there is room, else a
   * promise to wait for before reading on.
   */
  take(bytes: number, signal: AbortSignal): Promise<void> | undefined {
    this.#used += bytes;
    const missing = this.#used - this.#lease.held;
    return missing > 0 ? this.#lease.grow(missing, signal) : undefined;
  }

  /** Releases the bytes of a response that is no longer held; the next may use them. */
  give(bytes: number): void {
    this.#used -= bytes;
  }

  [Symbol.dispose](): void {
    this.#lease[Symbol.dispose]();
  }
}
