import assert from "node:assert/strict";
import type { Store } from "@uag/metering/store/store";
import type { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { type EventDocument, toDocument } from "@uag/usage/documents/event";
import { type MonthDocument, monthOf } from "@uag/usage/documents/months";
import type { Gate } from "./archive-files.ts";

interface Collection {
  readonly month: string;
  readonly closed: boolean;
  readonly rows: Map<string, EventDocument>;
}

type Parts = MonthDocument["parts"];

interface RecordFilter {
  readonly _id: string;
  readonly "parts.source"?: { readonly $ne: string };
}

/** The error of a row whose id exists. */
export const duplicate = "E11000 duplicate key";
/** The error of a collection that another process has renamed. */
export const renamed = "NamespaceNotFound";

const openName = (month: string): string => `events_${month}`;

/** Metering's collections of events and its table of files, as its archiver uses them. */
export class EventMonths {
  readonly #collections = new Map<string, Collection>();
  readonly #parts = new Map<string, Parts>();
  /** True time, Unix milliseconds: the database's clock may be set back once an archiver has read it. */
  readonly #now: () => number;
  #ids = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  insert(event: UsageEvent): void {
    const month = monthOf(new Date(Number(event.startedAtMs)));
    const name = openName(month);
    const collection = this.#collections.get(name) ?? { month, closed: false, rows: new Map() };
    this.#collections.set(name, collection);
    collection.rows.set(event.requestId, toDocument(event));
  }

  /** The files that are recorded, by month. */
  get recorded(): ReadonlyMap<string, Parts> {
    return this.#parts;
  }

  /** Every event that is not archived, with its month. */
  *left(): Generator<{ readonly month: string; readonly requestId: string }> {
    for (const { month, rows } of this.#collections.values())
      for (const requestId of rows.keys()) yield { month, requestId };
  }

  /** The store of one archiver: each call waits for its gate. */
  storeOf(gate: Gate): Pick<Store, "partitions" | "months"> {
    return { partitions: this.#partitionsOf(gate) as never, months: this.#monthsOf(gate) as never };
  }

  #partitionsOf(gate: Gate): object {
    const partitionOf = (name: string): object | undefined => {
      const found = this.#collections.get(name);
      return found && { month: found.month, closed: found.closed, rows: this.#rowsOf(name, gate) };
    };
    return {
      list: async () => {
        await gate();
        return [...this.#collections.keys()].map(partitionOf);
      },
      close: async (month: string) => {
        await gate();
        return partitionOf(this.#close(month));
      },
      drop: async ({ rows }: { rows: { collectionName: string } }) => {
        await gate();
        this.#drop(rows.collectionName);
      },
    };
  }

  #close(month: string): string {
    const now = monthOf(new Date(this.#now()));
    assert.ok(month < now, `the month ${month} is archived in ${now}`);
    const open = this.#collections.get(openName(month));
    if (open === undefined) throw new Error(renamed);
    const name = `archiving_${month}_${++this.#ids}`;
    this.#collections.delete(openName(month));
    this.#collections.set(name, { ...open, closed: true });
    return name;
  }

  #drop(name: string): void {
    const collection = this.#collections.get(name);
    if (collection === undefined) return;
    const part = this.#parts.get(collection.month)?.find(({ source }) => source === name);
    const kept = Number(part?.rows ?? 0);
    assert.equal(collection.rows.size, kept, `${name} is dropped with rows that are in no file`);
    this.#collections.delete(name);
  }

  #rowsOf(collectionName: string, gate: Gate): object {
    const rows = (): EventDocument[] => [...(this.#collections.get(collectionName)?.rows.values() ?? [])];
    return {
      collectionName,
      findOne: async () => {
        await gate();
        return rows()[0] ?? null;
      },
      find: () => cursorOver(rows, gate),
      aggregate: () => ({
        toArray: async () => {
          await gate();
          const sum = (column: "costNanoUsd" | "holdNanoUsd"): bigint =>
            rows().reduce((total, row) => total + row[column], 0n);
          return [{ rows: rows().length, cost: sum("costNanoUsd"), hold: sum("holdNanoUsd") }];
        },
      }),
    };
  }

  #monthsOf(gate: Gate): object {
    return {
      findOne: async ({ _id }: { _id: string }) => {
        await gate();
        const parts = this.#parts.get(_id);
        return parts === undefined ? null : { _id, parts: [...parts] };
      },
      updateOne: async (filter: RecordFilter, { $push }: { $push: { parts: Parts[number] } }) => {
        await gate();
        const parts = this.#parts.get(filter._id) ?? [];
        const other = filter["parts.source"]?.$ne;
        // The upsert inserts a row whose id exists.
        if (other !== undefined && parts.some(({ source }) => source === other)) throw new Error(duplicate);
        this.#parts.set(filter._id, [...parts, $push.parts]);
      },
    };
  }
}

/** Reads in two batches, between which others may drop the rows. */
function cursorOver(rows: () => EventDocument[], gate: Gate): object {
  let read = 0;
  let batch: EventDocument[] = [];
  return {
    hasNext: async () => {
      await gate();
      const all = rows();
      batch = all.slice(read, read + Math.max(1, Math.ceil(all.length / 2)));
      return batch.length > 0;
    },
    readBufferedDocuments: () => {
      read += batch.length;
      return batch;
    },
    close: async () => undefined,
  };
}
