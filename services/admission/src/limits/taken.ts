import type { ConcurrencySlots } from "./concurrency-slots.ts";
import type { LimitName } from "./refusal.ts";
import type { SharedLimit } from "./shared-limit.ts";
import type { WindowSlots } from "./window-slots.ts";

/** A use of a limit per minute that may still be corrected. */
export interface WindowUse {
  readonly slots: WindowSlots;
  readonly count: number;
  readonly until: number;
}

/** What one request takes of its key's limits. */
export class Taken {
  requests: WindowUse | undefined;
  tokens: WindowUse | undefined;
  concurrency: ConcurrencySlots | undefined;
  /** To tell the client, name and value by turns. */
  headers: readonly string[] = [];
  readonly #limits: Readonly<Record<LimitName, SharedLimit>>;
  readonly #now: () => number;

  constructor(limits: Readonly<Record<LimitName, SharedLimit>>, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  /** The request is admitted, perhaps a while after its slots were taken: the minute for which they rest begins now. */
  restFromNow(): void {
    const now = this.#now();
    if (this.requests !== undefined) this.requests = restAnew(this.requests, now);
    if (this.tokens !== undefined) this.tokens = restAnew(this.tokens, now);
  }

  /** The request was not admitted after all: nothing counts. */
  undo(): void {
    if (this.requests !== undefined) {
      unuse(this.requests, this.requests.count, this.#now());
      this.requests = undefined;
      this.#limits.requests.freed();
    }
    this.correct(0);
    this.release();
  }

  /** The request has come to this many tokens; undefined when nobody knows: the estimate stays. */
  correct(actual: number | undefined): void {
    const { tokens } = this;
    this.tokens = undefined;
    if (tokens === undefined || actual === undefined) return;
    const now = this.#now();
    if (actual > tokens.count) tokens.slots.overuse(actual - tokens.count, now);
    else if (actual < tokens.count) {
      unuse(tokens, tokens.count - actual, now);
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

function restAnew(use: WindowUse, now: number): WindowUse {
  return { ...use, until: use.slots.restAnew(use.count, use.until, now) };
}

function unuse(use: WindowUse, count: number, now: number): void {
  use.slots.unuse(count, use.until, now);
}
