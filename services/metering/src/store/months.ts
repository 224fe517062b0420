import type { mongo } from "mongoose";
import type { EventDocument } from "./event.ts";

/** A file that a part of a month was archived to. */
export interface ArchivedPart {
  readonly key: string;
  readonly rows: bigint;
  readonly costNanoUsd: bigint;
  readonly holdNanoUsd: bigint;
  readonly sha256: string;
  readonly bytes: bigint;
  readonly archivedAt: Date;
}

/** What is archived of a month; several parts where events came after the first was written. */
export interface MonthDocument {
  /** As `2026-11`. */
  readonly _id: string;
  readonly parts: ArchivedPart[];
}

const prefix = "events_";
const archivingPrefix = "archiving_";
/** Of before there were partitions. It has its own expiry. */
const oldName = "events";
/**
 * Where events begin whose start nobody can mean: a clock that is years off makes no collection for
 * each month of them.
 */
export const outside = "0000-00";
const [firstYear, lastYear] = [2024, 2099];

/**
 * The month (UTC) in which a request began. Every end of a request, whoever tells it, says the same
 * start; so within its partition a request's id is unique, whatever becomes of it.
 */
export function monthOf(startedAt: Date): string {
  const year = startedAt.getUTCFullYear();
  return year >= firstYear && year <= lastYear ? startedAt.toISOString().slice(0, 7) : outside;
}

/** The first moment behind a month. */
export function endOf(month: string): Date {
  const [year, number] = month.split("-").map(Number);
  return new Date(Date.UTC(year ?? 0, number ?? 0));
}

/** The month `count` months before the one of a moment. */
export function monthBefore(moment: Date, count: number): string {
  return new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() - count)).toISOString().slice(0, 7);
}

/** One collection of events. */
export interface Partition {
  /** Undefined: of before there were months. */
  readonly month: string | undefined;
  /** It is being archived, and takes nothing more. */
  readonly closed: boolean;
  readonly rows: mongo.Collection<EventDocument>;
}

/** The collections of events, one a month. */
export interface Partitions {
  of(month: string): mongo.Collection<EventDocument>;
  /** Those of before there were months; undefined when there are none. */
  readonly old: mongo.Collection<EventDocument> | undefined;
  /** Makes those that are missing. */
  ensure(months: Iterable<string>): Promise<void>;
  /** All that are there, the newest month first and what has no month last. */
  list(): Promise<Partition[]>;
  /** Puts a month aside to be archived: what comes later for it goes to a new collection. */
  close(month: string): Promise<void>;
  /** What was put aside is archived. */
  drop(month: string): Promise<void>;
}

const indexes = [{ key: { accountId: 1, endedAt: -1, _id: -1 } }, { key: { endedAt: -1, _id: -1 } }] as const;

const asName = (month: string): string => month.replace("-", "_");
const asMonth = (name: string): string => name.replace("_", "-");

function partitionOf(db: mongo.Db, name: string): Partition[] {
  const rows = db.collection<EventDocument>(name);
  if (name === oldName) return [{ month: undefined, closed: false, rows }];
  if (name.startsWith(prefix)) return [{ month: asMonth(name.slice(prefix.length)), closed: false, rows }];
  if (!name.startsWith(archivingPrefix)) return [];
  return [{ month: asMonth(name.slice(archivingPrefix.length)), closed: true, rows }];
}

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
      await db.renameCollection(prefix + asName(month), archivingPrefix + asName(month));
    },
    async drop(month) {
      await db.dropCollection(archivingPrefix + asName(month));
    },
  };
}
