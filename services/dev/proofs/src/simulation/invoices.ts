import assert from "node:assert/strict";
import { type Invoice, invoicesUpTo } from "@uag/billing/invoices/invoices";
import type { InvoiceDocument } from "@uag/ledger/documents/invoices";
import type { Entry } from "@uag/proto/billing/v1/ledger.ts";
import { epochMs } from "./epoch.ts";

interface Range {
  readonly $gte?: bigint;
  readonly $lt: bigint;
}

/** A month after every simulated one. */
const last = "9999-12";

/** The real invoices of the account, over the simulated ledger. */
export class Invoices {
  readonly #accountId: string;
  readonly #entries: readonly Entry[];
  readonly #kept = new Map<string, InvoiceDocument>();

  constructor(accountId: string, entries: readonly Entry[]) {
    this.#accountId = accountId;
    this.#entries = entries;
  }

  /** Creates the invoices like a billing process. @param nowMs its time, Unix milliseconds */
  make(nowMs: number): Promise<Invoice[]> {
    const account = { _id: this.#accountId, createdAt: new Date(epochMs) };
    return invoicesUpTo({ invoices: this.#stored, ledger: this.#ledger } as never, account, { last, nowMs });
  }

  get #stored(): object {
    return {
      find: () => ({ lean: async () => [...this.#kept.values()] }),
      updateOne: async ({ _id }: { _id: string }, { $setOnInsert }: { $setOnInsert: Omit<InvoiceDocument, "_id"> }) => {
        if (!this.#kept.has(_id)) this.#kept.set(_id, { _id, ...$setOnInsert });
      },
    };
  }

  get #ledger(): object {
    const aggregate = ([first]: [{ $match: { seq: Range } }]): object => ({
      option: async () => this.#sums(first.$match.seq),
    });
    return { aggregate };
  }

  #sums({ $gte, $lt }: Range): object[] {
    const rows = this.#entries.filter(({ seq }) => seq < $lt && ($gte === undefined || seq >= $gte));
    return rows.map((row) => ({
      _id: { kind: row.kind, model: row.kind === "settle" ? (row.event?.model ?? "") : null },
      rows: 1n,
      charged: row.chargedNanoUsd,
      writtenOff: row.writtenOffNanoUsd,
      toppedUp: row.toppedUpNanoUsd,
      balance: row.availableNanoUsd + row.heldNanoUsd,
    }));
  }

  /** Compares the invoices with all rows of the ledger, when their months are closed. */
  async check(nowMs: number): Promise<void> {
    const invoices = await this.make(nowMs);
    const [open] = invoices.filter(({ month, closed }) => !closed && month < new Date(nowMs).toISOString().slice(0, 7));
    assert.equal(open, undefined, "no month remains open long after its end");
    const sum = (of: readonly bigint[]): bigint => of.reduce((total, one) => total + one, 0n);
    const charged = sum(invoices.map((one) => one.charged));
    assert.equal(
      charged,
      sum(this.#entries.map(({ chargedNanoUsd }) => chargedNanoUsd)),
      "the invoices contain every row",
    );
    const balance = sum(this.#entries.map((row) => row.availableNanoUsd + row.heldNanoUsd));
    assert.equal(invoices.at(-1)?.closing, balance, "the last invoice's closing balance is the account's balance");
  }
}
