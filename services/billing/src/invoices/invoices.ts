import type { AccountDocument } from "@uag/ledger/documents/accounts";
import type { InvoiceDocument, InvoiceSums } from "@uag/ledger/documents/invoices";
import type { Store } from "@uag/ledger/documents/store";
import type { EntryKind } from "@uag/ledger/rules/entry";
import { addUp, type RowSum } from "./add-up.ts";
import { isClosed, monthAfter, monthOf, monthsBetween, seqOf, startOf } from "./months.ts";

export interface Invoice extends InvoiceSums {
  readonly accountId: string;
  readonly month: string;
  /** No more rows can be added to it. */
  readonly closed: boolean;
}

type Books = Pick<Store, "invoices" | "ledger">;

/** Time limit of the query that sums a month. */
const maxTimeMS = 60_000;

type Found = Readonly<Record<"rows" | "charged" | "writtenOff" | "toppedUp" | "balance", number | bigint>> & {
  readonly _id: { readonly kind: EntryKind; readonly model: string | null };
};

async function sumsOf({ ledger }: Books, accountId: string, seq: object): Promise<RowSum[]> {
  const model = { $cond: [{ $in: ["$kind", ["settle", "repair"]] }, { $ifNull: ["$event.model", ""] }, null] };
  const sums = {
    rows: { $sum: 1 },
    charged: { $sum: "$charged" },
    writtenOff: { $sum: "$writtenOff" },
    toppedUp: { $sum: "$toppedUp" },
    balance: { $sum: { $add: ["$available", "$held"] } },
  };
  const found = await ledger
    .aggregate<Found>([{ $match: { accountId, seq } }, { $group: { _id: { kind: "$kind", model }, ...sums } }])
    .option({ maxTimeMS });
  return found.map(({ _id, rows, charged, writtenOff, toppedUp, balance }) => ({
    kind: _id.kind,
    model: _id.model,
    rows: BigInt(rows),
    charged: BigInt(charged),
    writtenOff: BigInt(writtenOff),
    toppedUp: BigInt(toppedUp),
    balance: BigInt(balance),
  }));
}

/** The months of an account, from its creation to the current one, oldest first. */
export const monthsOf = ({ createdAt }: Pick<AccountDocument, "createdAt">, nowMs: number): string[] =>
  monthsBetween(monthOf(createdAt), monthOf(new Date(nowMs)));

/**
 * Returns an account's invoices from its first month through `last`. Closed months are summed once
 * and stored: the ledger only grows, and no new row can get a seq in a past month.
 */
export async function invoicesUpTo(
  store: Books,
  account: Pick<AccountDocument, "_id" | "createdAt">,
  { last, nowMs }: { last: string; nowMs: number },
): Promise<Invoice[]> {
  const accountId = account._id;
  const kept = await store.invoices.find({ accountId }).lean<InvoiceDocument[]>();
  const known = new Map(kept.map((invoice) => [invoice.month, invoice]));
  const invoices: Invoice[] = [];
  let opening = 0n;
  for (const [at, month] of monthsOf(account, nowMs).entries()) {
    if (month > last) break;
    const end = startOf(monthAfter(month));
    const closed = isClosed(month, nowMs);
    const seq = { ...(at > 0 && { $gte: seqOf(startOf(month)) }), $lt: seqOf(end) };
    const found = closed ? known.get(month) : undefined;
    const sums = found ?? addUp(await sumsOf(store, accountId, seq), opening);
    if (closed && found === undefined) {
      const row = { $setOnInsert: { accountId, month, ...sums } };
      await store.invoices.updateOne({ _id: `${accountId}:${month}` }, row, { upsert: true });
    }
    invoices.push({ ...sums, accountId, month, closed });
    opening = sums.closing;
  }
  return invoices;
}
