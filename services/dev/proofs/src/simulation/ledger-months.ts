import assert from "node:assert/strict";
import { entryDocument } from "@uag/ledger/documents/ledger";
import type { LedgerMonthDocument, LedgerPartDocument } from "@uag/ledger/documents/ledger-months";
import type { Entry } from "@uag/proto/billing/v1/ledger.ts";
import type { Gate } from "./archive-files.ts";
import { epochMs } from "./epoch.ts";

interface Bounds<Value> {
  readonly $gt?: Value;
  readonly $gte?: Value;
  readonly $lt?: Value;
  readonly $lte?: Value;
}

interface RowFilter {
  readonly accountId?: string | Bounds<string>;
  readonly seq: Bounds<bigint>;
}

interface MonthFilter {
  readonly _id: string;
  readonly parts?: { readonly $size: number };
}

interface MonthChange {
  readonly $setOnInsert?: Omit<LedgerMonthDocument, "_id">;
  readonly $set?: Pick<LedgerMonthDocument, "archivedAt">;
  readonly $push?: { readonly parts: LedgerPartDocument };
}

/** The ledger's rows and its table of files, as its archiver uses them. */
export class LedgerMonths {
  readonly #entries: readonly Entry[];
  readonly #months = new Map<string, LedgerMonthDocument>();
  /** The database's time, Unix milliseconds. */
  readonly #now: () => number;

  constructor(entries: readonly Entry[], now: () => number) {
    this.#entries = entries;
    this.#now = now;
  }

  get recorded(): Iterable<LedgerMonthDocument> {
    return this.#months.values();
  }

  /** The store of one archiver: each call waits for its gate. */
  storeOf(gate: Gate): object {
    const after = async <Value>(value: () => Value): Promise<Value> => {
      await gate();
      return value();
    };
    const known = (): LedgerMonthDocument[] => [...this.#months.values()];
    const oldest = { lean: () => after(() => ({ createdAt: new Date(epochMs) })) };
    return {
      accounts: { findOne: () => ({ sort: () => oldest }) },
      ledgerMonths: {
        findOne: () => ({ lean: () => after(() => known().find(({ first }) => first) ?? null) }),
        find: () => ({ lean: () => after(known) }),
        updateOne: (filter: MonthFilter, change: MonthChange) => after(() => this.#update(filter, change)),
      },
      ledger: {
        collection: {
          find: (filter: RowFilter, { limit }: { limit: number }) => ({
            toArray: () => after(() => this.#rowsOf(filter).slice(0, limit).map(entryDocument)),
          }),
          aggregate: ([{ $match }]: [{ $match: RowFilter }]) => ({
            toArray: () => after(() => sumsOf(this.#rowsOf($match))),
          }),
        },
      },
    };
  }

  #update({ _id, parts }: MonthFilter, { $setOnInsert, $set, $push }: MonthChange): { matchedCount: number } {
    const month = this.#months.get(_id);
    if (month === undefined) {
      if ($setOnInsert !== undefined) this.#months.set(_id, { _id, ...$setOnInsert });
      return { matchedCount: 0 };
    }
    if (parts !== undefined && parts.$size !== month.parts.length) return { matchedCount: 0 };
    const now = new Date(this.#now()).toISOString();
    assert.ok($setOnInsert !== undefined || _id < now.slice(0, 7), `${_id} is archived too early, at ${now}`);
    const pushed = $push === undefined ? [] : [$push.parts];
    this.#months.set(_id, { ...month, ...$set, parts: [...month.parts, ...pushed] });
    return { matchedCount: 1 };
  }

  #rowsOf({ accountId, seq }: RowFilter): Entry[] {
    return this.#entries.filter((row) => isIn(row.seq, seq) && isIn(row.accountId, accountId ?? {}));
  }
}

function isIn<Value extends bigint | string>(value: Value, bounds: Value | Bounds<Value>): boolean {
  if (typeof bounds !== "object") return value === bounds;
  const { $gt, $gte, $lt, $lte } = bounds;
  return (
    ($gt === undefined || value > $gt) &&
    ($gte === undefined || value >= $gte) &&
    ($lt === undefined || value < $lt) &&
    ($lte === undefined || value <= $lte)
  );
}

function sumsOf(rows: readonly Entry[]): object[] {
  if (rows.length === 0) return [];
  const sum = (of: (row: Entry) => bigint): bigint => rows.reduce((total, row) => total + of(row), 0n);
  return [
    {
      rows: BigInt(rows.length),
      availableNanoUsd: sum((row) => row.availableNanoUsd),
      heldNanoUsd: sum((row) => row.heldNanoUsd),
      chargedNanoUsd: sum((row) => row.chargedNanoUsd),
      writtenOffNanoUsd: sum((row) => row.writtenOffNanoUsd),
      toppedUpNanoUsd: sum((row) => row.toppedUpNanoUsd),
    },
  ];
}
