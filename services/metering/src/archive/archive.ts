import type { DatabaseClock } from "@uag/mongo/database-clock";
import { isDuplicate } from "@uag/mongo/errors";
import type { Lease } from "@uag/mongo/lease";
import { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { agree, contentOf, contentOfRows, type LineFormat, type Sums, writeChecked } from "@uag/runtime/archive/file";
import { noArchiveStore } from "@uag/runtime/archive/settings";
import { randomText } from "@uag/runtime/ids";
import type { ObjectStore } from "@uag/runtime/objects/store";
import { type EventDocument, fromDocument } from "@uag/usage/documents/event";
import { type ArchivedPart, monthBefore, outside, type Partition } from "@uag/usage/documents/months";
import type { mongo } from "mongoose";
import type { MeteringEvents } from "../events.ts";
import type { Store } from "../store/store.ts";

export interface Archive {
  readonly store: Store;
  /** Where files are kept; undefined: nowhere, so no month is dropped. */
  readonly objects: ObjectStore | undefined;
  /** Number of whole months kept in the database before the current one. */
  readonly keepMonths: number;
  readonly clock: Pick<DatabaseClock, "moment">;
  readonly events: MeteringEvents;
}

const rowsAtOnce = 2_000;

type Amount = "costNanoUsd" | "holdNanoUsd";

const format: LineFormat<UsageEvent, Amount> = {
  encode: UsageEvent.toJSON,
  decode: UsageEvent.fromJSON,
  amounts: ["costNanoUsd", "holdNanoUsd"],
};

/** The lease under which months are archived. */
export const archiverLease = ({ leases }: Store): Lease => ({ leases, id: "archiver" });

/** Whether a month is old enough to be archived. */
export const isDue = (month: string, { keepMonths }: Archive, nowMs: number): boolean =>
  month !== outside && month < monthBefore(new Date(nowMs), keepMonths);

/** @param before called before each batch */
async function* eventsOf(
  rows: mongo.Collection<EventDocument>,
  before: () => Promise<void>,
): AsyncGenerator<UsageEvent> {
  const cursor = rows.find({}, { sort: { _id: 1 }, batchSize: rowsAtOnce });
  try {
    while (await cursor.hasNext()) {
      await before();
      for (const row of cursor.readBufferedDocuments()) yield fromDocument(row);
    }
  } finally {
    await cursor.close();
  }
}

/** Sums computed by the database itself. */
async function sumsOf(rows: mongo.Collection<EventDocument>): Promise<Sums<Amount>> {
  const [sums] = await rows
    .aggregate<{ rows: number | bigint; cost: bigint; hold: bigint }>([
      { $group: { _id: null, rows: { $sum: 1 }, cost: { $sum: "$costNanoUsd" }, hold: { $sum: "$holdNanoUsd" } } },
    ])
    .toArray();
  const amounts = { costNanoUsd: BigInt(sums?.cost ?? 0), holdNanoUsd: BigInt(sums?.hold ?? 0) };
  return { rows: Number(sums?.rows ?? 0), amounts };
}

const sumsOfPart = ({ rows, costNanoUsd, holdNanoUsd }: ArchivedPart): Sums<Amount> => ({
  rows: Number(rows),
  amounts: { costNanoUsd, holdNanoUsd },
});

/**
 * Writes a month's rows to a file and reads it back. @throws when the file differs from the
 * database
 */
async function exported(
  objects: ObjectStore,
  { key, rows }: { key: string; rows: mongo.Collection<EventDocument> },
  before: () => Promise<void>,
): Promise<ArchivedPart> {
  const source = { rows: eventsOf(rows, before), sumsOf: () => sumsOf(rows) };
  const { amounts, sha256, ...written } = await writeChecked(objects, { key, format }, source);
  const counts = { rows: BigInt(written.rows), bytes: BigInt(written.bytes) };
  return { key, source: rows.collectionName, ...counts, ...amounts, sha256, archivedAt: new Date() };
}

/**
 * Closes a month's collection, writes it to a file, reads that back, records it, and only then
 * drops the rows. Interrupted at any point, it resumes there: a closed collection takes no more
 * rows. Two processes may do it at once, when one was paused until its lease had expired: each
 * writes a file of its own, and only the first to record one for the collection succeeds.
 * @param before called from time to time while rows are read
 */
export async function archiveMonth(
  { store, objects, events }: Archive,
  month: string,
  before: () => Promise<void> = async () => undefined,
): Promise<ArchivedPart | undefined> {
  if (objects === undefined) throw new Error(noArchiveStore);
  const { partitions, months } = store;
  const found = (await partitions.list()).filter((one) => one.month === month);
  if (found.length === 0) return undefined;
  const closed = found.find((one) => one.closed) ?? (await partitions.close(month));
  const parts = (await months.findOne({ _id: month }))?.parts ?? [];
  // Recorded, but interrupted before the drop.
  const recorded = await recordedPart(parts, closed);
  if (recorded !== undefined || (await closed.rows.findOne()) === null) {
    await partitions.drop(closed);
    return recorded;
  }
  const key = `${month}/events-${parts.length + 1}-${randomText(10)}.ndjson.gz`;
  const made = await exported(objects, { key, rows: closed.rows }, before);
  await record(months, month, made);
  await partitions.drop(closed);
  events.archived({ month, key, rows: made.rows, bytes: made.bytes });
  return made;
}

/** Records a file. @throws when another process has recorded one for the same collection */
async function record(months: Store["months"], month: string, made: ArchivedPart): Promise<void> {
  const unrecorded = { _id: month, "parts.source": { $ne: made.source } };
  try {
    await months.updateOne(unrecorded, { $push: { parts: made } }, { upsert: true });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw new Error(`another process has archived ${made.source}; ${made.key} is not used`, { cause: error });
  }
}

/** The part that holds a closed collection, if it was recorded. */
async function recordedPart(parts: readonly ArchivedPart[], { rows }: Partition): Promise<ArchivedPart | undefined> {
  const named = parts.find(({ source }) => source === rows.collectionName);
  if (named !== undefined) return named;
  // A part of an earlier release names no collection: its rows are compared.
  const last = parts.at(-1);
  if (last === undefined || last.source !== undefined || !agree(sumsOfPart(last), await sumsOf(rows))) return undefined;
  const { sha256 } = await contentOfRows(
    format,
    eventsOf(rows, async () => undefined),
  );
  return sha256 === last.sha256 ? last : undefined;
}

/** Archives the months that are due, oldest first; returns the parts written. */
export async function archiveDue(archive: Archive, before: () => Promise<void>): Promise<ArchivedPart[]> {
  const done: ArchivedPart[] = [];
  const listed = await archive.store.partitions.list();
  const nowMs = await archive.clock.moment();
  // Once for each collection: a closed one, and one of rows that arrived since.
  const months = listed.flatMap(({ month = outside, closed }) =>
    closed || isDue(month, archive, nowMs) ? [month] : [],
  );
  for (const month of months.sort()) {
    const part = await archiveMonth(archive, month, before);
    if (part !== undefined) done.push(part);
  }
  return done;
}

/**
 * Reads a month's files back; returns one sentence for each that differs from what was archived.
 */
export async function verifyMonth(
  { store, objects }: Archive,
  month: string,
): Promise<{ rows: bigint; faults: string[] }> {
  const faults: string[] = [];
  let rows = 0n;
  for (const part of (await store.months.findOne({ _id: month }))?.parts ?? []) {
    const found =
      objects && (await contentOf(objects, { key: part.key, format }).catch((error: unknown) => String(error)));
    if (found === undefined) faults.push(noArchiveStore);
    else if (typeof found === "string") faults.push(`reading ${part.key} failed: ${found}`);
    else if (found.sha256 !== part.sha256 || !agree(found, sumsOfPart(part)))
      faults.push(`${part.key} differs from the archived file.`);
    else rows += part.rows;
  }
  return { rows, faults };
}
