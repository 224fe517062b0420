import type { mongo } from "mongoose";
import { sumSearch } from "./search-limit.ts";

const { maxTimeMS } = sumSearch;

type Sums = Readonly<Record<string, mongo.Document>>;

/** What a series counts, and by what it is grouped. */
export interface GroupedQuery<D> {
  readonly match: mongo.Document;
  /** The field that has a row's time. */
  readonly time: keyof D & string;
  /** Length of a point. */
  readonly bucket: string;
  /** Undefined: all rows form one group, whose name is empty. */
  readonly field: (keyof D & string) | undefined;
  /** Groups of their own; all others form one. */
  readonly max: number;
  /** Accumulators that rank the groups, the most significant first; the largest come first. */
  readonly rank: Sums;
  /** Accumulators of each row. */
  readonly sums: Sums;
}

/**
 * The sums of a series, by time and group, oldest first. The top groups are found first, so that
 * the response is bounded however many groups there are: all others form one, whose name is null.
 */
export async function groupedRows<D extends mongo.Document, R extends mongo.Document>(
  rows: mongo.Collection<D>,
  { match, time, bucket, field, max, rank, sums }: GroupedQuery<D>,
): Promise<{ readonly top: readonly string[]; readonly found: mongo.AggregationCursor<R> }> {
  const name = field === undefined ? { $literal: "" } : { $ifNull: [`$${field}`, ""] };
  const order = { ...Object.fromEntries(Object.keys(rank).map((sum) => [sum, -1 as const])), _id: 1 as const };
  const ranked = [{ $match: match }, { $group: { _id: name, ...rank } }, { $sort: order }, { $limit: max }];
  const top =
    field === undefined
      ? [""]
      : (await rows.aggregate<{ _id: string }>(ranked, { maxTimeMS }).toArray()).map(({ _id }) => _id);
  const start = { $dateTrunc: { date: `$${time}`, unit: bucket } };
  const group = { $cond: [{ $in: [name, top] }, name, null] };
  const grouped = [
    { $match: match },
    { $group: { _id: { start, group }, ...sums } },
    { $sort: { "_id.start": 1 as const } },
  ];
  return { top, found: rows.aggregate<R>(grouped, { maxTimeMS }) };
}
