import { keyChangedSubject } from "@uag/contract/messages/billing";
import { usageApplied, usageAppliedSubject } from "@uag/contract/messages/usage-applied";
import type { Bus } from "@uag/runtime/bus";

/** What may have changed; pages that show it fetch it again. */
export type HintType = "usage" | "balance" | "key";

export interface Hint {
  readonly type: HintType;
  /** Null: of any account. */
  readonly account_id: string | null;
  /** ISO 8601. */
  readonly at: string;
}

interface Listener {
  /** Null for those who may see all accounts. */
  readonly accountId: string | null;
  readonly send: (hint: Hint) => void;
}

/** Hints of the same type and account are coalesced for this long, milliseconds. */
const coalesceMs = 500;
/** Hints that are collected at most; beyond that there is one for all accounts. */
const maxPending = 1_000;

/** Notifies the console's open pages of what to fetch again, by messages on NATS. */
export class HintHub implements Disposable {
  readonly #listeners = new Set<Listener>();
  readonly #pending = new Map<string, { type: HintType; accountId: string | null }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(bus: Pick<Bus, "subscribe">) {
    bus.subscribe(usageAppliedSubject, (data) => {
      for (const accountId of usageApplied.decode(data)?.account_ids ?? []) {
        this.#enqueue("usage", accountId);
        this.#enqueue("balance", accountId);
      }
    });
    // The message about a key names no account.
    bus.subscribe(keyChangedSubject, () => this.#enqueue("key", null));
  }

  /** Subscribes to an account's hints. @returns ends the subscription */
  listen(accountId: string | null, send: (hint: Hint) => void): () => void {
    const listener = { accountId, send };
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #enqueue(type: HintType, account: string | null): void {
    if (this.#listeners.size === 0) return;
    const accountId = this.#pending.size < maxPending ? account : null;
    this.#pending.set(`${type} ${accountId ?? ""}`, { type, accountId });
    this.#timer ??= setTimeout(() => this.#flush(), coalesceMs).unref();
  }

  #flush(): void {
    this.#timer = undefined;
    const at = new Date().toISOString();
    const hints = [...this.#pending.values()];
    this.#pending.clear();
    for (const { accountId: own, send } of this.#listeners)
      for (const { type, accountId } of hints)
        if (own === null || accountId === null || accountId === own) send({ type, account_id: accountId, at });
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
