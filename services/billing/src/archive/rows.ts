import { setTimeout as sleep } from "node:timers/promises";
import { type EntryDocument, entryMessage } from "@uag/ledger/documents/ledger";
import type { LedgerAmounts, LedgerMonthDocument, LedgerPlace } from "@uag/ledger/documents/ledger-months";
import type { Store } from "@uag/ledger/documents/store";
import { Entry } from "@uag/proto/billing/v1/ledger.ts";
import type { LineFormat, Sums } from "@uag/runtime/archive/file";
import { mongo } from "mongoose";
import { monthAfter, seqOf, startOf } from "../invoices/months.ts";

/** A few milliseconds of this process's time. */
const rowsAtOnce = 500;
const byPlace = { accountId: 1, seq: 1 } as const;

/**
 * Rows of closed months never change, so another server than the primary
 * may return them, if it lags less than a month takes to close.
 */
const reading = {
  hint: byPlace,
  readPreference: new mongo.ReadPreference("secondaryPreferred", undefined, { maxStalenessSeconds: 120 }),
  readConcern: { level: "majority" },
} as const;

export const entryFormat: LineFormat<Entry, keyof LedgerAmounts> = {
  encode: Entry.toJSON,
  decode: Entry.fromJSON,
  amounts: ["availableNanoUsd", "heldNanoUsd", "chargedNanoUsd", "writtenOffNanoUsd", "toppedUpNanoUsd"],
};

/** Consecutive rows of a month, by account and seq. */
export interface RowRange {
  readonly month: Pick<LedgerMonthDocument, "_id" | "first">;
  /** The row before the first; undefined: from the month's beginning. */
  readonly after: LedgerPlace | undefined;
  /** The last row; undefined: to the month's end. */
  readonly last?: LedgerPlace | undefined;
}

/** Filters that together match a range, in its order, each a range of the index. */
function filtersOf({ month, after, last }: RowRange): object[] {
  const since = month.first ? {} : { $gte: seqOf(startOf(month._id)) };
  const until = { $lt: seqOf(startOf(monthAfter(month._id))) };
  const begin = after === undefined ? since : { $gt: after.seq };
  if (after !== undefined && after.accountId === last?.accountId)
    return [{ accountId: after.accountId, seq: { ...begin, $lte: last.seq } }];
  const accounts = {
    ...(after !== undefined && { $gt: after.accountId }),
    ...(last !== undefined && { $lt: last.accountId }),
  };
  const between = Object.keys(accounts).length > 0 ? { accountId: accounts } : {};
  return [
    ...(after === undefined ? [] : [{ accountId: after.accountId, seq: { ...begin, ...until } }]),
    { ...between, seq: { ...since, ...until } },
    ...(last === undefined ? [] : [{ accountId: last.accountId, seq: { ...since, $lte: last.seq } }]),
  ];
}

async function pageOf({ ledger }: Store, range: RowRange): Promise<EntryDocument[]> {
  const found: EntryDocument[] = [];
  for (const filter of filtersOf(range)) {
    const limit = rowsAtOnce - found.length;
    if (limit === 0) break;
    // Text is hashed as it is, so tampered text is found there.
    const options = { ...reading, sort: byPlace, limit, enableUtf8Validation: false };
    const rows = await ledger.collection.find(filter, options).toArray();
    found.push(...(rows as unknown as EntryDocument[]));
  }
  return found;
}

/**
 * Yields a range in pages, each a query of its own. Between pages it pauses for as long as the last
 * one took with all that was done with it: settlements meanwhile get half of the process's time.
 * @param keep called before each page
 */
export async function* readRange(store: Store, range: RowRange, keep: () => Promise<void>): AsyncGenerator<Entry> {
  for (let after = range.after; ; ) {
    await keep();
    const started = performance.now();
    const page = await pageOf(store, { ...range, after });
    for (const row of page) yield entryMessage(row);
    const last = page.at(-1);
    if (last === undefined || page.length < rowsAtOnce) return;
    after = { accountId: last.accountId, seq: last.seq };
    await sleep(performance.now() - started);
  }
}

type Found = Readonly<Record<keyof LedgerAmounts | "rows", number | bigint>>;

/** Sums of a range, computed by the database itself. */
export async function sumsOfRange({ ledger }: Store, range: RowRange): Promise<Sums<keyof LedgerAmounts>> {
  const columns = {
    availableNanoUsd: { $sum: "$available" },
    heldNanoUsd: { $sum: "$held" },
    chargedNanoUsd: { $sum: "$charged" },
    writtenOffNanoUsd: { $sum: "$writtenOff" },
    toppedUpNanoUsd: { $sum: "$toppedUp" },
  };
  const group = { $group: { _id: null, rows: { $sum: 1 }, ...columns } };
  const amounts = Object.fromEntries(entryFormat.amounts.map((name) => [name, 0n])) as Record<
    keyof LedgerAmounts,
    bigint
  >;
  let rows = 0;
  for (const filter of filtersOf(range)) {
    const [sums] = await ledger.collection.aggregate<Found>([{ $match: filter }, group], reading).toArray();
    if (sums === undefined) continue;
    rows += Number(sums.rows);
    for (const name of entryFormat.amounts) amounts[name] += BigInt(sums[name]);
  }
  return { rows, amounts };
}
