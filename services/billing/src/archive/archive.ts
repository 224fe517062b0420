import type { LedgerMonthDocument, LedgerPartDocument, LedgerPlace } from "@uag/ledger/documents/ledger-months";
import type { Store } from "@uag/ledger/documents/store";
import { collectionOf } from "@uag/mongo/collection";
import type { DatabaseClock } from "@uag/mongo/database-clock";
import type { Lease, LeaseDocument } from "@uag/mongo/lease";
import type { Entry } from "@uag/proto/billing/v1/ledger.ts";
import { writeChecked } from "@uag/runtime/archive/file";
import { noArchiveStore } from "@uag/runtime/archive/settings";
import { randomText } from "@uag/runtime/ids";
import type { ObjectStore } from "@uag/runtime/objects/store";
import type { Events } from "../events.ts";
import { isClosed, monthOf, monthsBetween } from "../invoices/months.ts";
import { entryFormat, readRange, sumsOfRange } from "./rows.ts";

export interface LedgerArchive {
  readonly store: Store;
  readonly clock: Pick<DatabaseClock, "moment">;
  /** Where files are kept; undefined: nowhere. */
  readonly objects: ObjectStore | undefined;
  readonly events: Pick<Events, "ledgerArchived" | "ledgerArchiveFailed">;
  /** Rows in one file, and what a killed process has to repeat. */
  readonly rowsAPart?: number;
}

type Keep = () => Promise<void>;

const defaultRowsAPart = 200_000;

/** The lease under which months are archived. */
export const archiverLease = ({ connection, leases }: Store): Lease => ({
  leases: collectionOf<LeaseDocument>(connection, leases.collection.name),
  id: "ledger-archiver",
});

/**
 * The oldest month, recorded when it is first asked for; undefined while there is no account. It
 * also has the rows of before rows were numbered by time.
 */
async function firstMonth({ accounts, ledgerMonths }: Store): Promise<string | undefined> {
  const known = await ledgerMonths.findOne({ first: true }).lean<LedgerMonthDocument>();
  if (known !== null) return known._id;
  const oldest = await accounts.findOne().sort({ createdAt: 1 }).lean<{ createdAt: Date }>();
  if (oldest === null) return undefined;
  const month = monthOf(oldest.createdAt);
  await ledgerMonths.updateOne(
    { _id: month },
    { $setOnInsert: { first: true, parts: [], archivedAt: null } },
    { upsert: true },
  );
  return month;
}

/** All closed months, oldest first, archived or not. */
export async function closedMonths(store: Store, nowMs: number): Promise<LedgerMonthDocument[]> {
  const first = await firstMonth(store);
  if (first === undefined) return [];
  const known = await store.ledgerMonths.find().lean<LedgerMonthDocument[]>();
  const byId = new Map(known.map((month) => [month._id, month]));
  return monthsBetween(first, monthOf(new Date(nowMs)))
    .filter((month) => isClosed(month, nowMs))
    .map((_id) => byId.get(_id) ?? { _id, first: false, parts: [], archivedAt: null });
}

/** Takes rows up to a count, and remembers where it ended. */
function upTo(count: number, first: Entry, rows: AsyncGenerator<Entry>) {
  let last: LedgerPlace = first;
  async function* taken(): AsyncGenerator<Entry> {
    yield first;
    for (let n = 1; n < count; n++) {
      const { done, value } = await rows.next();
      if (done) return;
      last = value;
      yield value;
    }
  }
  return { rows: taken(), last: (): LedgerPlace => ({ accountId: last.accountId, seq: last.seq }) };
}

/** Writes the rows behind the last part; undefined when there are none. */
async function exportPart(
  { store, rowsAPart = defaultRowsAPart }: LedgerArchive,
  { objects, month, keep }: { objects: ObjectStore; month: LedgerMonthDocument; keep: Keep },
): Promise<LedgerPartDocument | undefined> {
  const after = month.parts.at(-1)?.last;
  const all = readRange(store, { month, after }, keep);
  const { done, value: first } = await all.next();
  if (done) return undefined;
  const part = upTo(rowsAPart, first, all);
  // No two writers share a name, although one may continue after its lease has expired.
  const key = `${month._id}/ledger-${month.parts.length + 1}-${randomText(10)}.ndjson.gz`;
  const sumsOf = () => sumsOfRange(store, { month, after, last: part.last() });
  const written = await writeChecked(objects, { key, format: entryFormat }, { rows: part.rows, sumsOf });
  const { amounts, sha256 } = written;
  const counts = { rows: BigInt(written.rows), bytes: BigInt(written.bytes) };
  return { key, ...counts, amounts, sha256, last: part.last(), archivedAt: new Date() };
}

/**
 * Writes a closed month to files, each read back and compared with the ledger before it is
 * recorded. Nothing is deleted. If interrupted, it continues after the last recorded file. Returns
 * the parts it added.
 * @param keep throws when another process has taken over
 */
export async function archiveMonth(
  archive: LedgerArchive,
  known: LedgerMonthDocument,
  keep: Keep,
): Promise<LedgerPartDocument[]> {
  const { objects, events } = archive;
  if (objects === undefined) throw new Error(noArchiveStore);
  if (known.archivedAt !== null) return [];
  const { ledgerMonths } = archive.store;
  const { _id, first } = known;
  await ledgerMonths.updateOne({ _id }, { $setOnInsert: { first, parts: [], archivedAt: null } }, { upsert: true });
  const added: LedgerPartDocument[] = [];
  for (;;) {
    const parts = [...known.parts, ...added];
    // Only after the parts that this one follows: no other process has added one meanwhile.
    const unchanged = { _id, parts: { $size: parts.length } };
    const part = await exportPart(archive, { objects, month: { ...known, parts }, keep });
    const change = part === undefined ? { $set: { archivedAt: new Date() } } : { $push: { parts: part } };
    const { matchedCount } = await ledgerMonths.updateOne(unchanged, change);
    if (matchedCount === 0) throw new Error(`another process has archived rows of ${_id}`);
    if (part === undefined) return added;
    added.push(part);
    events.ledgerArchived({ month: _id, part });
  }
}

/** Archives the closed months that are not archived yet, oldest first. */
export async function archiveDue(archive: LedgerArchive, keep: Keep): Promise<void> {
  for (const month of await closedMonths(archive.store, await archive.clock.moment()))
    await archiveMonth(archive, month, keep);
}
