import { GatewayError } from "@uag/contract/errors/gateway-error";
import { OpenRequests } from "@uag/runtime/open-requests";

export interface PlaceLimits {
  readonly total: number;
  readonly perKey: number;
}

const retryAfterMs = 1_000;

/** Limits the number of open requests, per key and in total. */
export class Places {
  readonly #total: number;
  readonly #ofKeys: OpenRequests;
  #open = 0;

  constructor({ total, perKey }: PlaceLimits) {
    this.#total = total;
    this.#ofKeys = new OpenRequests(perKey);
  }

  /**
   * Takes a place, which disposing frees.
   * @throws {GatewayError} `service_unavailable` or `too_many_open_requests` when there is none
   */
  take(keyId: string): Disposable {
    if (this.#open >= this.#total) throw new GatewayError("service_unavailable", undefined, { retryAfterMs });
    this.#ofKeys.enter(keyId);
    this.#open++;
    return {
      [Symbol.dispose]: () => {
        this.#open--;
        this.#ofKeys.leave(keyId);
      },
    };
  }
}
