import { agree, contentOf, contentOfRows, type LineFormat, type Sums, writeChecked } from "@uag/kit/archive/file.ts";
import { noArchiveStore } from "@uag/kit/archive/settings.ts";
import type { ObjectStore } from "@uag/kit/objects/store.ts";
import type { Lease } from "@uag/mongo/lease.ts";
import { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import type { mongo } from "mongoose";
import type { MeteringEvents } from "../events.ts";
import { type EventDocument, fromDocument } from "../store/event.ts";
import { type ArchivedPart, monthBefore, outside, type Partition } from "../store/months.ts";
import type { Store } from "../store/store.ts";

export interface Archive {
  readonly store: Store;
  /** Where files are kept; undefined: nowhere, so no month is dropped. */
  readonly objects: ObjectStore | undefined;
  /** Number of whole months kept in the database before the current one. */
  readonly keepMonths: number;
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
export const isDue = (month: string, { keepMonths }: Archive, now = new Date()): boolean =>
  month !== outside && month < monthBefore(now, keepMonths);

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
  return { key, ...counts, ...amounts, sha256, archivedAt: new Date() };
}

/**
 * Closes a month's collection, writes it to a file, reads that back, records it, and only then
 * drops the rows. Interrupted at any point, it resumes there: a closed collection takes no more
 * rows, and the file is rewritten under the same name.
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
  const known = await months.findOne({ _id: month });
  const aside = found.find(({ closed }) => closed);
  // Recorded, but interrupted before the drop.
  const part = known?.parts.at(-1);
  if (aside !== undefined && part !== undefined && (await isNoted(part, aside))) {
    await partitions.drop(month);
    return part;
  }
  if (aside === undefined) await partitions.close(month);
  const rows = aside?.rows ?? (await partitions.list()).find((one) => one.month === month && one.closed)?.rows;
  if (rows === undefined) throw new Error(`${month} is not there any more`);
  const key = `${month}/events-${(known?.parts.length ?? 0) + 1}.ndjson.gz`;
  const made = await exported(objects, { key, rows }, before);
  await months.updateOne({ _id: month }, { $push: { parts: made } }, { upsert: true });
  await partitions.drop(month);
  events.archived({ month, key, rows: made.rows, bytes: made.bytes });
  return made;
}

/** Whether the closed collection equals the last part: a request is in one part only. */
async function isNoted(part: ArchivedPart, { rows }: Partition): Promise<boolean> {
  if (!agree(sumsOfPart(part), await sumsOf(rows))) return false;
  return (
    (
      await contentOfRows(
        format,
        eventsOf(rows, async () => undefined),
      )
    ).sha256 === part.sha256
  );
}

/** Archives the months that are due, oldest first; returns the parts written. */
export async function archiveDue(archive: Archive, before: () => Promise<void>): Promise<ArchivedPart[]> {
  const done: ArchivedPart[] = [];
  const listed = await archive.store.partitions.list();
  const months = listed.flatMap(({ month = outside, closed }) => (closed || isDue(month, archive) ? [month] : []));
  for (const month of [...new Set(months)].sort()) {
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
    else if (typeof found === "string") faults.push(`${part.key} cannot be read: ${found}`);
    else if (found.sha256 !== part.sha256 || !agree(found, sumsOfPart(part)))
      faults.push(`${part.key} is not what was archived.`);
    else rows += part.rows;
  }
  return { rows, faults };
}
