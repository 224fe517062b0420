import type { Store } from "@uag/ledger/documents/store";
import type { Acquired } from "@uag/ledger/rules/acquire";

const rememberedMs = 1_000;
const maxRemembered = 10_000;

/** Remembers accounts that were refused money a moment ago. */
export interface Refusals {
  note(accountId: string): void;
  /**
   * Returns the refusal when one read shows that the account still has too little and nothing held
   * could come back; undefined when a transaction has to be tried.
   */
  still(accountId: string, need: bigint): Promise<Acquired | undefined>;
}

interface AccountRow {
  readonly available: bigint;
  readonly held: bigint;
  readonly writtenOff: bigint;
}

/**
 * A client hammering an empty account costs one read per call. Only the fact that a read is
 * worthwhile is remembered; the balance itself is read, so a top-up or a return counts at once,
 * whichever process handled it.
 */
export function createRefusals(store: Pick<Store, "accounts">, writeOffLimit: bigint): Refusals {
  const refusedAt = new Map<string, number>();
  return {
    note(accountId) {
      if (refusedAt.size >= maxRemembered) refusedAt.clear();
      refusedAt.set(accountId, performance.now());
    },
    async still(accountId, need) {
      const at = refusedAt.get(accountId);
      if (at === undefined) return undefined;
      if (performance.now() - at > rememberedMs) {
        refusedAt.delete(accountId);
        return undefined;
      }
      const row = await store.accounts.findById(accountId, { available: 1, held: 1, writtenOff: 1 }).lean<AccountRow>();
      if (row === null || row.held > 0n) return undefined;
      const owed = row.writtenOff > writeOffLimit ? row.writtenOff : 0n;
      if (owed === 0n && row.available >= need) return undefined;
      return { kind: "insufficient", available: row.available, held: 0n, budgetExceeded: false, owed };
    },
  };
}
