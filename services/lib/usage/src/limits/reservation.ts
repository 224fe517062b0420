import type { GatewayError } from "@uag/contract/errors/gateway-error";
import type { LimitName } from "@uag/contract/messages/billing";
import { outOfReach } from "../refusals.ts";
import type { ConcurrencyPermits } from "./concurrency-permits.ts";
import type { Holder } from "./holder.ts";
import type { SharedLimit } from "./shared-limit.ts";
import type { WindowPermits } from "./window-permits.ts";

/** A request's share of a per-minute limit, which may still be corrected. */
export interface WindowUse {
  readonly permits: WindowPermits;
  readonly count: number;
  /** When the permits are free again; undefined while the request is not admitted. */
  readonly until?: number;
}

/** What one request takes of the limits of its key, or of one budget. */
export class Reservation {
  requests: WindowUse | undefined;
  tokens: WindowUse | undefined;
  concurrency: ConcurrencyPermits | undefined;
  /** The holder that owns these permits; undefined while there are none. */
  heldBy: string | undefined;
  readonly #limits: Readonly<Record<LimitName, SharedLimit>>;
  readonly #now: () => number;
  readonly #holder: Pick<Holder, "id" | "live">;

  constructor(
    limits: Readonly<Record<LimitName, SharedLimit>>,
    of: { now: () => number; holder: Pick<Holder, "id" | "live"> },
  ) {
    this.#limits = limits;
    this.#now = of.now;
    this.#holder = of.holder;
  }

  /** False when the lease under which it was taken has expired and others may hold the permits. */
  get live(): boolean {
    return this.#holder.live && this.#holder.id === (this.heldBy ?? this.#holder.id);
  }

  /**
   * The request is admitted, perhaps a while after it took its permits: their 60 s begin now.
   */
  admitted(): void {
    const now = this.#now();
    if (this.requests !== undefined) this.requests = use(this.requests, now);
    if (this.tokens !== undefined) this.tokens = use(this.tokens, now);
    this.#returnRecalled(this, now);
  }

  /** The request was not admitted after all: nothing counts. */
  undo(): void {
    const { requests, tokens } = this;
    this.requests = undefined;
    this.tokens = undefined;
    requests?.permits.unreserve(requests.count);
    tokens?.permits.unreserve(tokens.count);
    this.#returnRecalled({ requests, tokens }, this.#now());
    this.release();
    if (requests !== undefined) this.#limits.requests.freed();
    if (tokens !== undefined) this.#limits.tokens.freed();
  }

  /**
   * Returns permits that were recalled while reserved, unless the lease has expired: then they are
   * not ours to return.
   */
  #returnRecalled(of: Pick<Reservation, "requests" | "tokens">, now: number): void {
    for (const name of ["requests", "tokens"] as const) {
      const permits = of[name]?.permits;
      const limit = this.#limits[name];
      if (permits !== undefined && permits === limit.permits) void limit.returnPermits(permits.removeLeaving(now));
    }
  }

  /**
   * Corrects the estimate to the tokens actually used; undefined when unknown, which keeps the
   * estimate.
   */
  correct(actual: number | undefined): void {
    const { tokens } = this;
    if (tokens?.until === undefined) return;
    this.tokens = undefined;
    if (actual === undefined) return;
    const now = this.#now();
    if (actual > tokens.count) tokens.permits.overuse(actual - tokens.count, now);
    else if (actual < tokens.count) {
      tokens.permits.unuse(tokens.count - actual, tokens.until, now);
      this.#limits.tokens.freed();
    }
  }

  /** Releases the concurrency permit when the request is over. */
  release(): void {
    const { concurrency } = this;
    this.concurrency = undefined;
    if (concurrency === undefined) return;
    const limit = this.#limits.concurrency;
    if (!concurrency.release()) limit.freed();
    else void limit.returnPermits([{ count: 1, freeInMs: 0 }]);
  }
}

/** `service_unavailable`: the permits of a request that waited may belong to others by now. */
const lapsed = (): GatewayError =>
  outOfReach(new Error("the lease on limits expired while the request waited for admission"));

/**
 * Call after the last wait. @throws {GatewayError} `service_unavailable` when others may hold its
 * permits by now
 */
export function checkLive(reservation: Pick<Reservation, "live"> | undefined): void {
  if (reservation?.live === false) throw lapsed();
}

function use(reserved: WindowUse, now: number): WindowUse {
  return { ...reserved, until: reserved.permits.use(reserved.count, now) };
}
