import { keyChangedSubject } from "@uag/contract/messages/billing.ts";
import { usageApplied, usageAppliedSubject } from "@uag/contract/messages/usage-applied.ts";
import type { Bus } from "@uag/kit/bus.ts";

/** What may have changed; where it is shown it is to be fetched again. */
export type HintType = "usage" | "balance" | "key";

export interface Hint {
  readonly type: HintType;
  /** Null: of whichever account. */
  readonly account_id: string | null;
  /** ISO 8601. */
  readonly at: string;
}

interface Listener {
  /** Null for who may see all accounts. */
  readonly accountId: string | null;
  readonly send: (hint: Hint) => void;
}

/** Hints of a kind and an account are gathered for this long, milliseconds. */
const gatherMs = 500;
/** Accounts that are gathered at once; of more there is one hint for all. */
const maxGathered = 1_000;

/** Tells the console's open pages what to look at again, as NATS tells of it. */
export class HintHub implements Disposable {
  readonly #listeners = new Set<Listener>();
  readonly #gathered = new Map<string, { type: HintType; accountId: string | null }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(bus: Pick<Bus, "subscribe">) {
    bus.subscribe(usageAppliedSubject, (data) => {
      for (const accountId of usageApplied.decode(data)?.account_ids ?? []) {
        this.#gather("usage", accountId);
        this.#gather("balance", accountId);
      }
    });
    // What is said of a key names no account.
    bus.subscribe(keyChangedSubject, () => this.#gather("key", null));
  }

  /** Hears what an account's people may know of, until told to stop. */
  listen(accountId: string | null, send: (hint: Hint) => void): () => void {
    const listener = { accountId, send };
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #gather(type: HintType, account: string | null): void {
    if (this.#listeners.size === 0) return;
    const accountId = this.#gathered.size < maxGathered ? account : null;
    this.#gathered.set(`${type} ${accountId ?? ""}`, { type, accountId });
    this.#timer ??= setTimeout(() => this.#report(), gatherMs).unref();
  }

  #report(): void {
    this.#timer = undefined;
    const at = new Date().toISOString();
    const hints = [...this.#gathered.values()];
    this.#gathered.clear();
    for (const { accountId: own, send } of this.#listeners)
      for (const { type, accountId } of hints)
        if (own === null || accountId === null || accountId === own) send({ type, account_id: accountId, at });
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
