import { GatewayError } from "@uag/kit/errors.ts";

export interface PlaceLimits {
  readonly total: number;
  readonly perKey: number;
}

const retryAfterMs = 1_000;

/** Bounds how many requests are open at once. */
export class Places {
  readonly #limits: PlaceLimits;
  readonly #byKey = new Map<string, number>();
  #open = 0;

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
  }

  /**
   * Takes a place; disposing gives it back.
   * @throws {GatewayError} `service_unavailable` or `too_many_open_requests` when there is none
   */
  take(keyId: string): Disposable {
    if (this.#open >= this.#limits.total) throw new GatewayError("service_unavailable", undefined, { retryAfterMs });
    const mine = this.#byKey.get(keyId) ?? 0;
    if (mine >= this.#limits.perKey) throw new GatewayError("too_many_open_requests", undefined, { retryAfterMs });
    this.#open++;
    this.#byKey.set(keyId, mine + 1);
    return { [Symbol.dispose]: () => this.#give(keyId) };
  }

  #give(keyId: string): void {
    this.#open--;
    const left = (this.#byKey.get(keyId) ?? 0) - 1;
    if (left > 0) this.#byKey.set(keyId, left);
    else this.#byKey.delete(keyId);
  }
}
