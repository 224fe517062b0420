import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { InvoiceSums } from "@uag/ledger/documents/invoices";
import type { EntryKind } from "@uag/ledger/rules/entry";

/** Ledger rows of one kind about one model, summed. Nano-USD. */
export interface RowSum {
  readonly kind: EntryKind;
  /** Null for rows that are not about a request. */
  readonly model: string | null;
  readonly rows: bigint;
  readonly charged: bigint;
  readonly writtenOff: bigint;
  readonly toppedUp: bigint;
  /** Available and held. */
  readonly balance: bigint;
}

const total = (sums: readonly RowSum[], column: "charged" | "writtenOff" | "toppedUp" | "balance"): bigint =>
  sums.reduce((sum, row) => sum + row[column], 0n);

function lineOf(model: string, sums: readonly RowSum[]): InvoiceSums["lines"][number] {
  // A repair is a second row about a request that already has one.
  const settled = sums.filter(({ kind }) => kind === "settle");
  return { model, requests: settled.reduce((sum, { rows }) => sum + rows, 0n), charged: total(sums, "charged") };
}

/**
 * Builds an invoice from a month's rows.
 * @param opening all the account's money at the beginning of the month
 * @throws {GatewayError} `internal_error` when the rows do not add up to their effect on the
 * account: no invoice is made from a faulty ledger
 */
export function addUp(sums: readonly RowSum[], opening: bigint): InvoiceSums {
  const of = (...kinds: EntryKind[]) => sums.filter(({ kind }) => kinds.includes(kind));
  const usage = of("settle", "repair");
  const lines = [...Map.groupBy(usage, ({ model }) => model ?? "")].map(([model, rows]) => lineOf(model, rows));
  const invoice = {
    opening,
    closing: opening + total(sums, "balance"),
    toppedUp: total(of("top_up"), "toppedUp"),
    corrected: total(of("correction"), "toppedUp"),
    charged: total(sums, "charged"),
    repaid: total(of("repayment"), "charged"),
    writtenOff: total(usage, "writtenOff"),
    lines: lines.sort((a, b) => Number(b.charged - a.charged) || (a.model < b.model ? -1 : 1)),
  };
  const { closing, toppedUp, corrected, charged, repaid } = invoice;
  const listed = lines.reduce((sum, line) => sum + line.charged, 0n);
  if (closing !== opening + toppedUp + corrected - charged || charged !== listed + repaid)
    throw new GatewayError("internal_error", undefined, {
      cause: new Error("the month's rows do not add up to their effect on the account"),
    });
  return invoice;
}
