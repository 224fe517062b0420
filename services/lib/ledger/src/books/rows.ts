import type { Entry } from "@uag/proto/billing/v1/ledger.ts";
import { type EntryDocument, entryMessage } from "../documents/ledger.ts";
import type { Store } from "../documents/store.ts";
import type { Claim, Proof } from "../rules/audit.ts";
import { lastSeqOf } from "../rules/audit.ts";
import { larger, smaller } from "../rules/money.ts";

/** About a megabyte. */
const rowsAtOnce = 1_000;
const bySeq = { accountId: 1, seq: 1 } as const;

/** Matches an account's rows of the snapshot that are not proven yet, and a few that are. */
function filterOf(accountId: string, claim: Claim | undefined, since: Proof | undefined): object {
  if (claim === undefined) return { accountId };
  const last = lastSeqOf(claim);
  if (since === undefined) return { accountId, seq: { $lte: last } };
  const { seq } = since.account;
  // A grant's next row may have a lower seq than proven rows of others, because clocks differ.
  const first = since.grants.reduce((min, grant) => smaller(min, grant.seq), seq);
  const ofGrants = { ofGrant: true, grantId: { $in: since.grants.map(({ id }) => id) } };
  return { accountId, seq: { $gt: first, $lte: larger(last, first) }, $or: [{ seq: { $gt: seq } }, ofGrants] };
}

/**
 * Yields rows by ascending seq in batches, fetching the next batch while one is processed. Rows of
 * the snapshot never change, so they are read outside it, however many there are.
 */
export async function* readRows(
  store: Store,
  accountId: string,
  range: { readonly claim: Claim | undefined; readonly since?: Proof | undefined },
): AsyncGenerator<Entry[]> {
  const filter = filterOf(accountId, range.claim, range.since);
  const cursor = store.ledger.collection.find(filter, {
    sort: bySeq,
    hint: bySeq,
    batchSize: rowsAtOnce,
    // The text is hashed as it is, so tampered text fails there.
    enableUtf8Validation: false,
  });
  try {
    for (let more = cursor.hasNext(); await more; ) {
      const rows = cursor.readBufferedDocuments() as unknown as EntryDocument[];
      more = cursor.hasNext();
      // Awaited in the next iteration; if the consumer stops first, its failure does not matter.
      more.catch(() => undefined);
      yield rows.map(entryMessage);
    }
  } finally {
    await cursor.close();
  }
}

/** The settlement rows of these requests, whatever their age. */
export async function readSettlements(store: Store, ids: readonly string[], accountId: string): Promise<Entry[]> {
  const rows = await store.ledger.find({ _id: { $in: ids }, accountId }).lean<EntryDocument[]>();
  return rows.map(entryMessage);
}
