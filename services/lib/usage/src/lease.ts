import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { GrantServiceServer } from "@uag/proto/billing/v1/grants.ts";
import { type Clock, type Moment, maxSkewMs, momentOf, msSince } from "@uag/runtime/clock";
import type { RpcClient } from "@uag/runtime/rpc/client";
import { isFenced } from "./wallet/account.ts";

/** Configuration of a holder's lease. */
export interface LeaseOptions {
  readonly holderId: string;
  readonly service: string;
  readonly billing: RpcClient<GrantServiceServer>;
  readonly clock: Clock;
  readonly fenced: (error: GatewayError) => void;
  /** This process's clock began or ceased to differ from the database's. */
  readonly skewed?: ((skewMs: number, skewed: boolean) => void) | undefined;
  /** False: heartbeats are sent only through `beat`. Default true. */
  readonly beats?: boolean | undefined;
}

const firstTryMs = 1_000;

/**
 * A holder's right to admit. It runs from the moment the heartbeat was sent, on the monotonic
 * clock: so it expires no later than billing assumes, and keeps running while the process is
 * paused. A machine that wakes from suspend finds its clocks apart, which ends the lease too. While
 * this process's clock differs from the database's by more than {@link maxSkewMs}, it may not
 * admit: its bills would have the wrong time.
 */
export class Lease implements Disposable {
  readonly #options: LeaseOptions;
  /** When the last acknowledged heartbeat was sent. */
  #renewedAt: Moment | undefined;
  #leaseMs = 0;
  /** At the last heartbeat, milliseconds. */
  #skewMs = 0;
  #beating: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  get live(): boolean {
    if (this.#renewedAt === undefined || Math.abs(this.#skewMs) > maxSkewMs) return false;
    return msSince(this.#options.clock, this.#renewedAt) < this.#leaseMs;
  }

  /** Why this process's clock prevents admission; undefined when it is correct. */
  get clockFault(): string | undefined {
    if (Math.abs(this.#skewMs) <= maxSkewMs) return undefined;
    return `The clock differs from the database's by ${this.#skewMs} ms; at most ${maxSkewMs} ms are allowed.`;
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
      const { leaseMs, nowMs } = await billing.heartbeat({ holderId, service }, { timeoutMs });
      // A clock that was set meanwhile may be set again, to where it was when this was sent.
      if (this.#ended || msSince(clock, sentAt) === Number.POSITIVE_INFINITY) return;
      if (nowMs !== 0n) this.#compare(Number(nowMs), sentAt);
      this.#leaseMs = leaseMs;
      this.#renewedAt = sentAt;
    } catch (error) {
      // Billing is unreachable: the lease runs on until it expires, and the next heartbeat is due
      // soon.
      if (error instanceof GatewayError && isFenced(error)) this.#options.fenced(error);
    }
  }

  /** The response was made between its request and now: only what is beyond both counts. */
  #compare(databaseMs: number, sentAt: Moment): void {
    const now = momentOf(this.#options.clock);
    const earliest = now.wall - (now.monotonic - sentAt.monotonic);
    const nearest = Math.min(Math.max(databaseMs, earliest), now.wall);
    const wasSkewed = this.clockFault !== undefined;
    this.#skewMs = Math.round(nearest - databaseMs);
    const skewed = this.clockFault !== undefined;
    if (skewed !== wasSkewed) this.#options.skewed?.(this.#skewMs, skewed);
  }

  /** Ends the lease permanently. */
  [Symbol.dispose](): void {
    this.#ended = true;
    this.#renewedAt = undefined;
    clearTimeout(this.#timer);
  }
}
