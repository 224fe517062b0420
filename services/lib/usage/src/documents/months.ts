import { randomText } from "@uag/runtime/ids";
import type { mongo } from "mongoose";
import type { EventDocument } from "./event.ts";

/** A file to which a part of a month was archived. */
export interface ArchivedPart {
  readonly key: string;
  /** The closed collection that it holds; missing in parts of earlier releases. */
  readonly source?: string;
  readonly rows: bigint;
  readonly costNanoUsd: bigint;
  readonly holdNanoUsd: bigint;
  readonly sha256: string;
  readonly bytes: bigint;
  readonly archivedAt: Date;
}

/** The archived parts of a month; several when events arrived after the first was written. */
export interface MonthDocument {
  /** As `2026-11`. */
  readonly _id: string;
  readonly parts: ArchivedPart[];
}

const prefix = "events_";
const archivingPrefix = "archiving_";
/** The collection from before monthly partitions. It has its own expiry. */
const oldName = "events";
/**
 * The partition of events with an implausible start, so that a clock that is years off does not
 * create a collection per month.
 */
export const outside = "0000-00";
const [firstYear, lastYear] = [2024, 2099];

/**
 * The month (UTC) in which a request began. Every terminal event of a request, whichever process reports it,
 * carries the same start; so a request's id is unique within its partition.
 */
export function monthOf(startedAt: Date): string {
  const year = startedAt.getUTCFullYear();
  return year >= firstYear && year <= lastYear ? startedAt.toISOString().slice(0, 7) : outside;
}

/** The first moment after a month. */
export function endOf(month: string): Date {
  const [year, number] = month.split("-").map(Number);
  return new Date(Date.UTC(year ?? 0, number ?? 0));
}

/** The month `count` months before the given time. */
export function monthBefore(moment: Date, count: number): string {
  return new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() - count)).toISOString().slice(0, 7);
}

/** One collection of events. */
export interface Partition {
  /** Undefined: the collection from before monthly partitions. */
  readonly month: string | undefined;
  /** It is being archived and takes no more rows. */
  readonly closed: boolean;
  readonly rows: mongo.Collection<EventDocument>;
}

/** The event collections, one per month. */
export interface Partitions {
  of(month: string): mongo.Collection<EventDocument>;
  /** The collection from before monthly partitions; undefined when there is none. */
  readonly old: mongo.Collection<EventDocument> | undefined;
  /** Creates missing collections. */
  ensure(months: Iterable<string>): Promise<void>;
  /** All existing collections, newest month first and the one without a month last. */
  list(): Promise<Partition[]>;
  /**
   * Closes a month for archiving: later events for it go to a new collection. The closed one gets a
   * name that was never used before, so that it is never mistaken for another.
   */
  close(month: string): Promise<Partition>;
  /** Drops a closed collection once it is archived. */
  drop(closed: Partition): Promise<void>;
}

/**
 * The last two serve the search for an id, and for failures by their code, and have entries for the
 * rows with these fields alone.
 */
const indexes = [
  { key: { accountId: 1, endedAt: -1, _id: -1 } },
  { key: { endedAt: -1, _id: -1 } },
  { key: { otherIds: 1 }, partialFilterExpression: { otherIds: { $exists: true } } },
  { key: { errorCode: 1, endedAt: -1, _id: -1 }, partialFilterExpression: { errorCode: { $exists: true } } },
] as const;

const asName = (month: string): string => month.replace("-", "_");
const asMonth = (name: string): string => name.replace("_", "-");

function partitionOf(db: mongo.Db, name: string): Partition[] {
  const rows = db.collection<EventDocument>(name);
  if (name === oldName) return [{ month: undefined, closed: false, rows }];
  if (name.startsWith(prefix)) return [{ month: asMonth(name.slice(prefix.length)), closed: false, rows }];
  if (!name.startsWith(archivingPrefix)) return [];
  const month = name.slice(archivingPrefix.length, archivingPrefix.length + outside.length);
  return [{ month: asMonth(month), closed: true, rows }];
}

/** The event collections of a database; creates none. */
export async function openPartitions(db: mongo.Db): Promise<Partitions> {
  const made = new Set<string>();
  const list = async (): Promise<Partition[]> => {
    const names = await db.listCollections({}, { nameOnly: true }).toArray();
    const found = names.flatMap(({ name }) => partitionOf(db, name));
    return found.sort((a, b) => (b.month ?? "").localeCompare(a.month ?? ""));
  };
  const of = (month: string) => db.collection<EventDocument>(prefix + asName(month));
  const old = (await list()).find(({ month }) => month === undefined)?.rows;
  return {
    of,
    old,
    list,
    async ensure(months) {
      for (const month of months) {
        if (made.has(month)) continue;
        await of(month).createIndexes([...indexes]);
        made.add(month);
      }
    },
    async close(month) {
      made.delete(month);
      const name = `${archivingPrefix}${asName(month)}_${randomText(10)}`;
      const rows = await db.renameCollection<EventDocument>(prefix + asName(month), name);
      return { month, closed: true, rows };
    },
    async drop({ rows: { collectionName } }) {
      // Dropping a collection that is gone succeeds from MongoDB 7.0 on.
      const there = await db.listCollections({ name: collectionName }, { nameOnly: true }).hasNext();
      if (there) await db.dropCollection(collectionName);
    },
  };
}
