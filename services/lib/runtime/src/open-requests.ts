import { GatewayError } from "@uag/contract/errors/gateway-error";

const retryAfterMs = 1_000;

/** The limits of {@link OpenRequests}. */
export interface OpenRequestLimits {
  /** Concurrent requests per key. */
  readonly perKey: number;
  /** Those of all keys together, and the setting that says so; default: not limited. */
  readonly total?: { readonly max: number; readonly setting: string };
}

/**
 * Counts each key's open requests in this process, from a request's head to the end of its
 * response: money and rate limits apply to complete requests, and a key may open thousands that
 * never become complete.
 */
export class OpenRequests {
  readonly #limits: OpenRequestLimits;
  readonly #open = new Map<string, number>();
  #total = 0;

  constructor(limits: OpenRequestLimits) {
    this.#limits = limits;
  }

  /**
   * @throws {GatewayError} `service_unavailable` when all keys together have too many,
   * `too_many_open_requests` when this one has; then nothing is counted
   */
  enter(keyId: string): void {
    const { perKey, total } = this.#limits;
    if (total !== undefined && this.#total >= total.max) {
      const cause = new Error(`as many requests are open as ${total.setting} allows: ${total.max}`);
      throw new GatewayError("service_unavailable", undefined, { retryAfterMs, cause });
    }
    const count = this.#open.get(keyId) ?? 0;
    if (count >= perKey) {
      const text = `This key already has ${perKey} open requests.`;
      throw new GatewayError("too_many_open_requests", text, { retryAfterMs });
    }
    this.#open.set(keyId, count + 1);
    this.#total++;
  }

  leave(keyId: string): void {
    const count = this.#open.get(keyId) ?? 0;
    if (count > 1) this.#open.set(keyId, count - 1);
    else this.#open.delete(keyId);
    this.#total--;
  }

  /** Enters; disposing the result leaves. */
  open(keyId: string): Disposable {
    this.enter(keyId);
    return { [Symbol.dispose]: () => this.leave(keyId) };
  }
}
