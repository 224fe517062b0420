import { type GrantDocument, grantOf } from "@uag/ledger/documents/grants";
import { type EntryDocument, entryDocument } from "@uag/ledger/documents/ledger";
import type { Store } from "@uag/ledger/documents/store";
import { entryId } from "@uag/ledger/rules/entry";
import { type EscrowChange, settleFromGrants } from "@uag/ledger/rules/escrow";
import type { Grant } from "@uag/ledger/rules/grant";
import type { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import type { ClientSession } from "mongoose";
import { countSpending } from "../spend/count.ts";
import { writeSpending } from "./budgets.ts";
import type { CommitOptions } from "./commit.ts";
import { inTransaction } from "./transaction.ts";

const byId = { _id: 1 } as const;

const distinct = (texts: readonly string[]): string[] => [...new Set(texts)].filter((text) => text !== "");

async function readGrants(store: Store, session: ClientSession, events: readonly UsageEvent[], accountIds: string[]) {
  const ids = distinct(events.map(({ grantId }) => grantId));
  if (ids.length === 0) return [];
  return await store.grants
    .find({ _id: { $in: ids }, accountId: { $in: accountIds } })
    .hint(byId)
    .session(session)
    .lean<GrantDocument[]>();
}

/** An event is rarely settled already, so it is looked up only after a write conflicted. */
async function readKnown(store: Store, session: ClientSession, events: readonly UsageEvent[], accountIds: string[]) {
  const ids = events.map(({ requestId }) => entryId.settle(requestId));
  const columns = { available: 1, held: 1, charged: 1, writtenOff: 1, toppedUp: 1 };
  return await store.ledger
    .find({ _id: { $in: ids }, accountId: { $in: accountIds } }, columns)
    .hint(byId)
    .session(session)
    .lean<EntryDocument[]>();
}

async function write(store: Store, session: ClientSession, change: EscrowChange, nowMs: number): Promise<void> {
  if (change.entries.length === 0) return;
  await store.ledger.collection.insertMany(change.entries.map(entryDocument) as never[], { session });
  await writeGrants(store, session, [...change.grants.values()]);
  await writeSpending({ store, session }, change.spending, nowMs);
  await countSpending({ store, session }, change.entries, nowMs);
}

/** The server looks for each grant's change in a list of so many. */
const grantsAStatement = 100;

function* partsOf<T>(all: readonly T[], size: number): Generator<readonly T[]> {
  for (let n = 0; n < all.length; n += size) yield all.slice(n, n + size);
}

/** One statement that writes the charges of several grants. */
function updateOf(grants: readonly Grant[]) {
  const ids = grants.map(({ id }) => id);
  const accountIds = distinct(grants.map(({ accountId }) => accountId));
  // Writes `folded` as well: an older grant has none, and counts as folded up to what it had
  // settled then.
  const changes = grants.map(({ settled, folded, seq, head }) => ({ settled, folded, seq, head }));
  const place = { $indexOfArray: [{ $literal: ids }, "$_id"] };
  const changed = { $mergeObjects: ["$$ROOT", { $arrayElemAt: [{ $literal: changes }, place] }] };
  const filter = { _id: { $in: ids as never[] }, accountId: { $in: accountIds } };
  return { updateMany: { filter, update: [{ $replaceWith: changed }], hint: byId } };
}

/**
 * Writes the charges of all grants in few statements: with one for each grant the server would
 * plan each, which costs more than the write.
 */
async function writeGrants(store: Store, session: ClientSession, grants: readonly Grant[]): Promise<void> {
  const statements = [...partsOf(grants, grantsAStatement)].map(updateOf);
  const { matchedCount } = await store.grants.collection.bulkWrite(statements, { session });
  if (matchedCount !== grants.length) throw new Error(`${matchedCount} of ${grants.length} grants were found`);
}

/**
 * Charges events of any number of accounts to their grants, all in one transaction that touches no
 * account.
 * @param events each request once
 * @throws {GatewayError} `service_unavailable`
 */
export async function commitToGrants(options: CommitOptions, events: readonly UsageEvent[]): Promise<EscrowChange> {
  const { store, clock, sequence } = options;
  const accountIds = distinct(events.map(({ accountId }) => accountId));
  return inTransaction({ ...options, connection: store.connection }, async (session, again) => {
    const grants = (await readGrants(store, session, events, accountIds)).map(grantOf);
    const known = again ? await readKnown(store, session, events, accountIds) : [];
    const nowMs = await clock.moment();
    const change = settleFromGrants(
      {
        grants: new Map(grants.map((grant) => [grant.id, grant])),
        entries: new Map(known.map((row) => [row._id, row])),
        nowMs,
        nextSeq: sequence(nowMs),
      },
      events,
    );
    await write(store, session, change, nowMs);
    return change;
  });
}
