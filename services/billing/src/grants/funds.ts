import type { Store } from "../store/store.ts";

/** Wakes those who wait for money to come back to an account. */
export interface Funds {
  /** Money came back to the account through this process. */
  notify(accountId: string): void;
  /** Resolves when the account seems to have `need` nano-USD available, or when `timeoutMs` has passed. */
  wait(options: { accountId: string; need: bigint; timeoutMs: number }): Promise<void>;
}

const pollMs = 40;

interface Waiter {
  readonly need: bigint;
  readonly wake: () => void;
}

/**
 * Returns reach any replica, so besides being notified the account is read every 40 ms, once for all who wait for it.
 * A failed read wakes everyone: their next attempt will say what is wrong.
 */
export function createFunds(store: Pick<Store, "accounts">): Funds {
  const waiting = new Map<string, Set<Waiter>>();

  function wake(accountId: string, available: bigint | undefined): void {
    for (const waiter of waiting.get(accountId) ?? []) {
      if (available === undefined || waiter.need <= available) waiter.wake();
    }
  }

  function poll(accountId: string): void {
    const timer = setInterval(() => {
      if (!waiting.has(accountId)) return clearInterval(timer);
      store.accounts
        .findById(accountId, { available: 1 })
        .lean<{ available: bigint }>()
        .then(
          (account) => wake(accountId, account?.available),
          () => wake(accountId, undefined),
        );
    }, pollMs);
  }

  return {
    notify: (accountId) => wake(accountId, undefined),
    wait: ({ accountId, need, timeoutMs }) =>
      new Promise((resolve) => {
        const waiters = waiting.get(accountId) ?? new Set<Waiter>();
        const waiter: Waiter = {
          need,
          wake: () => {
            clearTimeout(timer);
            waiters.delete(waiter);
            if (waiters.size === 0 && waiting.get(accountId) === waiters) waiting.delete(accountId);
            resolve();
          },
        };
        const timer = setTimeout(waiter.wake, timeoutMs);
        waiters.add(waiter);
        if (waiting.has(accountId)) return;
        waiting.set(accountId, waiters);
        poll(accountId);
      }),
  };
}
