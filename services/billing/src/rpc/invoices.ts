import { GatewayError } from "@uag/contract/errors/gateway-error";
import { pathFields } from "@uag/contract/requests/admin-fields";
import type { AccountDocument } from "@uag/ledger/documents/accounts";
import type {
  GetInvoiceRequest,
  Invoice as InvoiceMessage,
  ListInvoicesRequest,
  ListInvoicesResponse,
} from "@uag/proto/billing/v1/admin.ts";
import type { Billing } from "../billing.ts";
import { type Invoice, invoicesUpTo, monthsOf } from "../invoices/invoices.ts";

function messageOf(invoice: Invoice): InvoiceMessage {
  return {
    accountId: invoice.accountId,
    month: invoice.month,
    openingNanoUsd: invoice.opening,
    closingNanoUsd: invoice.closing,
    toppedUpNanoUsd: invoice.toppedUp,
    correctedNanoUsd: invoice.corrected,
    chargedNanoUsd: invoice.charged,
    repaidNanoUsd: invoice.repaid,
    writtenOffNanoUsd: invoice.writtenOff,
    lines: invoice.lines.map(({ model, requests, charged }) => ({ model, requests, chargedNanoUsd: charged })),
    closed: invoice.closed,
  };
}

async function accountOf({ store }: Billing, id: string): Promise<AccountDocument> {
  const account = await store.accounts.findById(id).lean<AccountDocument>();
  if (account === null) throw new GatewayError("not_found", "The account does not exist.", { param: "id" });
  return account;
}

/** An account's invoices, newest first. */
export async function listInvoices(
  billing: Billing,
  { accountId }: ListInvoicesRequest,
): Promise<ListInvoicesResponse> {
  const account = await accountOf(billing, accountId);
  const nowMs = await billing.clock.moment();
  const last = monthsOf(account, nowMs).at(-1) ?? "";
  const invoices = await invoicesUpTo(billing.store, account, { last, nowMs });
  return { invoices: invoices.reverse().map(messageOf) };
}

/**
 * The invoice of one month. @throws {GatewayError} `not_found` for a month before the account was
 * created, or in the future
 */
export async function getInvoice(billing: Billing, { accountId, month }: GetInvoiceRequest): Promise<InvoiceMessage> {
  const account = await accountOf(billing, accountId);
  const nowMs = await billing.clock.moment();
  const invoice =
    pathFields.month.safeParse(month).success && monthsOf(account, nowMs).includes(month)
      ? (await invoicesUpTo(billing.store, account, { last: month, nowMs })).at(-1)
      : undefined;
  if (invoice !== undefined) return messageOf(invoice);
  throw new GatewayError("not_found", "The account has no such month; use the form 2027-01.", { param: "month" });
}
