import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import { type Clock, type Moment, momentOf, msSince } from "@uag/kit/clock.ts";
import type { RpcClient } from "@uag/kit/rpc/client.ts";
import type { GrantServiceServer } from "@uag/proto/billing/v1/grants.ts";
import { isFenced } from "./wallet/account.ts";

/** A holder's lease: whom it is renewed with, and what happens when it runs out. */
export interface LeaseOptions {
  readonly holderId: string;
  readonly service: string;
  readonly billing: RpcClient<GrantServiceServer>;
  readonly clock: Clock;
  readonly fenced: (error: GatewayError) => void;
  /** False: nothing is sent but by `beat`. Default true. */
  readonly beats?: boolean | undefined;
}

const firstTryMs = 1_000;

/**
 * A holder's right to admit. It counts from the moment the heartbeat was sent, by the monotonic
 * clock: that is never later than billing counts, and goes on while the process is paused. A
 * suspended machine's wakes up with its clocks apart: that ends it too.
 */
export class Lease implements Disposable {
  readonly #options: LeaseOptions;
  /** When the heartbeat was sent that billing answered last. */
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

  /**
   * Sends a heartbeat now, or waits for the one that is on its way. Never rejects: look at `live`
   * then.
   */
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
      // Billing out of reach: the lease runs on until its end, and the next heartbeat is due soon.
      if (error instanceof GatewayError && isFenced(error)) this.#options.fenced(error);
    }
  }

  /** Ends the lease for good. */
  [Symbol.dispose](): void {
    this.#ended = true;
    this.#renewedAt = undefined;
    clearTimeout(this.#timer);
  }
}
