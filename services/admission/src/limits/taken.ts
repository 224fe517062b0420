import type { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import type { LimitName } from "@uag/contract/messages/billing.ts";
import { outOfReach } from "../refusals.ts";
import type { ConcurrencySlots } from "./concurrency-slots.ts";
import type { Holder } from "./holder.ts";
import type { SharedLimit } from "./shared-limit.ts";
import type { WindowSlots } from "./window-slots.ts";

/** What a request has of a limit per minute, which may still be corrected. */
export interface WindowUse {
  readonly slots: WindowSlots;
  readonly count: number;
  /** Until when the slots rest; undefined while the request is not admitted. */
  readonly until?: number;
}

/** What one request takes of its key's limits. */
export class Taken {
  requests: WindowUse | undefined;
  tokens: WindowUse | undefined;
  concurrency: ConcurrencySlots | undefined;
  /** The holder whose slots these are; undefined while there are none. */
  heldBy: string | undefined;
  /** To tell the client, name and value by turns. */
  headers: readonly string[] = [];
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

  /** False when the lease under which it was taken has run out, and others may have the slots. */
  get live(): boolean {
    return this.#holder.live && this.#holder.id === (this.heldBy ?? this.#holder.id);
  }

  /** The request is admitted, perhaps a while after it took its slots: the minute for which they rest begins now. */
  admitted(): void {
    const now = this.#now();
    if (this.requests !== undefined) this.requests = use(this.requests, now);
    if (this.tokens !== undefined) this.tokens = use(this.tokens, now);
    this.#sendHome(this, now);
  }

  /** The request was not admitted after all: nothing counts. */
  undo(): void {
    const { requests, tokens } = this;
    this.requests = undefined;
    this.tokens = undefined;
    requests?.slots.unreserve(requests.count);
    tokens?.slots.unreserve(tokens.count);
    this.#sendHome({ requests, tokens }, this.#now());
    this.release();
    if (requests !== undefined) this.#limits.requests.freed();
    if (tokens !== undefined) this.#limits.tokens.freed();
  }

  /** What was called home while it was reserved, unless the lease has run out: then it is nobody's here. */
  #sendHome(of: Pick<Taken, "requests" | "tokens">, now: number): void {
    for (const name of ["requests", "tokens"] as const) {
      const slots = of[name]?.slots;
      const limit = this.#limits[name];
      if (slots !== undefined && slots === limit.slots) void limit.give(slots.removeLeaving(now));
    }
  }

  /** The request has come to this many tokens; undefined when nobody knows: the estimate stays. */
  correct(actual: number | undefined): void {
    const { tokens } = this;
    if (tokens?.until === undefined) return;
    this.tokens = undefined;
    if (actual === undefined) return;
    const now = this.#now();
    if (actual > tokens.count) tokens.slots.overuse(actual - tokens.count, now);
    else if (actual < tokens.count) {
      tokens.slots.unuse(tokens.count - actual, tokens.until, now);
      this.#limits.tokens.freed();
    }
  }

  /** The request is over. */
  release(): void {
    const { concurrency } = this;
    this.concurrency = undefined;
    if (concurrency === undefined) return;
    const limit = this.#limits.concurrency;
    if (!concurrency.release()) limit.freed();
    else void limit.give([{ count: 1, freeInMs: 0 }]);
  }
}

export const lapsed = (): GatewayError =>
  outOfReach(new Error("the lease on limits ran out while the request waited to be admitted"));

/** Call it when nothing more has to be waited for. @throws {GatewayError} `service_unavailable` when others may have its slots by now */
export function checkLive(taken: Taken | undefined): void {
  if (taken?.live === false) throw lapsed();
}

function use(reserved: WindowUse, now: number): WindowUse {
  return { ...reserved, until: reserved.slots.use(reserved.count, now) };
}
