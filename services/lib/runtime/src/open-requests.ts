import { GatewayError } from "@uag/contract/errors/gateway-error";

const retryAfterMs = 1_000;

/**
 * Counts each key's open requests in this process, from a request's head to the end of its
 * response: money and rate limits apply to complete requests, and a key may open thousands that
 * never become complete.
 */
export class OpenRequests {
  readonly #max: number;
  readonly #open = new Map<string, number>();

  /** @param max concurrent requests per key */
  constructor(max: number) {
    this.#max = max;
  }

  /** @throws {GatewayError} `too_many_open_requests`; then nothing is counted */
  enter(keyId: string): void {
    const count = this.#open.get(keyId) ?? 0;
    if (count >= this.#max) {
      const text = `This key already has ${this.#max} open requests.`;
      throw new GatewayError("too_many_open_requests", text, { retryAfterMs });
    }
    this.#open.set(keyId, count + 1);
  }

  leave(keyId: string): void {
    const count = this.#open.get(keyId) ?? 0;
    if (count > 1) this.#open.set(keyId, count - 1);
    else this.#open.delete(keyId);
  }
}
