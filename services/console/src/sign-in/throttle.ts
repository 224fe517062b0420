import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import type { Clock } from "@uag/kit/clock.ts";
import { Failures } from "@uag/kit/failures.ts";
import { networkOf } from "@uag/kit/http/network.ts";

/**
 * Failed sign-ins at once, and a second: of one network, and for one name wherever they come from.
 */
const ofNetwork = { free: 20, perSecond: 0.5, max: 10_000 };
const ofName = { free: 10, perSecond: 0.2, max: 10_000 };

/** Slows down whoever guesses: each failure makes the next try wait, by network and by name. */
export class SignInThrottle {
  readonly #networks: Failures;
  readonly #names: Failures;

  constructor(clock: Clock) {
    this.#networks = new Failures({ clock, ...ofNetwork });
    this.#names = new Failures({ clock, ...ofName });
  }

  /** @throws {GatewayError} `rate_limit_exceeded`, which says how long to wait */
  check(address: string, name: string): void {
    const retryAfterMs = Math.max(this.#networks.waitMs(networkOf(address)), this.#names.waitMs(name));
    if (retryAfterMs === 0) return;
    const text = "Too many sign-ins failed. Wait before you try again.";
    throw new GatewayError("rate_limit_exceeded", text, { retryAfterMs });
  }

  failed(address: string, name: string): void {
    this.#networks.add(networkOf(address));
    this.#names.add(name);
  }
}
