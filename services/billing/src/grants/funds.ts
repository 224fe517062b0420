import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "@uag/ledger/documents/store";

/** Wakes callers that wait for money to return to an account. */
export interface Funds {
  /** Reports that money returned to the account through this process. */
  notify(accountId: string): void;
  /**
   * Resolves when the account seems to have `need` nano-USD available, or when `timeoutMs` has
   * passed.
   */
  wait(options: { accountId: string; need: bigint; timeoutMs: number }): Promise<void>;
}

const pollMs = 40;

interface Waiter {
  readonly need: bigint;
  readonly wake: () => void;
}

interface AccountRow {
  readonly _id: string;
  readonly available: bigint;
}

/**
 * Another replica may process a return, so the accounts being waited for are also polled every 40
 * ms, all in one read and never two at a time. A failed read wakes everyone: their next attempt
 * reports what is wrong.
 */
export function createFunds(store: Pick<Store, "accounts">): Funds {
  const waiting = new Map<string, Set<Waiter>>();
  let polling = false;

  function wake(accountId: string, available: bigint | undefined): void {
    for (const waiter of waiting.get(accountId) ?? []) {
      if (available === undefined || waiter.need <= available) waiter.wake();
    }
  }

  async function read(): Promise<void> {
    const ids = [...waiting.keys()];
    try {
      const rows = await store.accounts.find({ _id: { $in: ids } }, { available: 1 }).lean<AccountRow[]>();
      for (const { _id, available } of rows) wake(_id, available);
    } catch {
      for (const id of ids) wake(id, undefined);
    }
  }

  /** Polls while anyone waits; calling it again while it runs does nothing. */
  async function poll(): Promise<void> {
    if (polling) return;
    polling = true;
    while (waiting.size > 0) {
      await sleep(pollMs);
      await read();
    }
    polling = false;
  }

  return {
    notify: (accountId) => wake(accountId, undefined),
    wait: ({ accountId, need, timeoutMs }) =>
      new Promise((resolve) => {
        const waiters = waiting.get(accountId) ?? new Set<Waiter>();
        const waiter: Waiter = {
          need,
          wake: () => {
            clearTimeout(patience);
            waiters.delete(waiter);
            if (waiters.size === 0 && waiting.get(accountId) === waiters) waiting.delete(accountId);
            resolve();
          },
        };
        const patience = setTimeout(waiter.wake, timeoutMs);
        waiting.set(accountId, waiters.add(waiter));
        void poll();
      }),
  };
}
