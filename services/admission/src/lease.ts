import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import { type Clock, type Moment, momentOf, msSince } from "@uag/kit/clock.ts";
import type { RpcClient } from "@uag/kit/rpc/client.ts";
import type { GrantServiceServer } from "@uag/proto/billing/v1/grants.ts";
import { isFenced } from "./wallet/account.ts";

/** Configuration of a holder's lease. */
export interface LeaseOptions {
  readonly holderId: string;
  readonly service: string;
  readonly billing: RpcClient<GrantServiceServer>;
  readonly clock: Clock;
  readonly fenced: (error: GatewayError) => void;
  /** False: heartbeats are sent only through `beat`. Default true. */
  readonly beats?: boolean | undefined;
}

const firstTryMs = 1_000;

/**
 * A holder's right to admit. It runs from the moment the heartbeat was sent, on the monotonic
 * clock: so it expires no later than billing assumes, and keeps running while the process is
 * paused. A machine that wakes from suspend finds its clocks apart, which ends the lease too.
 */
export class Lease implements Disposable {
  readonly #options: LeaseOptions;
  /** When the last heartbeat that billing answered was sent. */
  #renewedAt: Moment | undefined;
  #leaseMs = 0;
  #beating: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  get live(): boolean {
    return this.#renewedAt !== undefined && msSince(this.#options.clock, this.#renewedAt) < this.#leaseMs;
  }

  /** Sends a heartbeat, or joins the one in flight. Never rejects: check `live` afterwards. */
  beat(): Promise<void> {
    if (this.#ended) return Promise.resolve();
    this.#beating ??= this.#send().finally(() => {
      this.#beating = undefined;
      clearTimeout(this.#timer);
      if (!this.#ended && (this.#options.beats ?? true))
        this.#timer = setTimeout(() => this.beat(), (this.#leaseMs || firstTryMs) / 3).unref();
    });
    return this.#beating;
  }

  async #send(): Promise<void> {
    const { holderId, service, billing, clock } = this.#options;
    const sentAt = momentOf(clock);
    try {
      const timeoutMs = Math.max(this.#leaseMs / 2, firstTryMs);
      const { leaseMs } = await billing.heartbeat({ holderId, service }, { timeoutMs });
      if (this.#ended) return;
      this.#leaseMs = leaseMs;
      this.#renewedAt = sentAt;
    } catch (error) {
      // Billing is unreachable: the lease runs on until it expires, and the next heartbeat is due
      // soon.
      if (error instanceof GatewayError && isFenced(error)) this.#options.fenced(error);
    }
  }

  /** Ends the lease permanently. */
  [Symbol.dispose](): void {
    this.#ended = true;
    this.#renewedAt = undefined;
    clearTimeout(this.#timer);
  }
}
