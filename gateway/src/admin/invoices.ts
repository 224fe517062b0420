import type { invoice as invoiceResponse } from "@uag/contract/responses/admin-money";
import type { Shown } from "@uag/contract/responses/shown";
import type { Invoice } from "@uag/proto/billing/v1/admin.ts";
import { usdText } from "@uag/runtime/usd";
import type { AdminHandler } from "./admin.ts";
import { listOf } from "./json.ts";

const timeoutMs = 120_000;

function showInvoice(invoice: Invoice): Shown<typeof invoiceResponse> {
  const { openingNanoUsd, toppedUpNanoUsd, correctedNanoUsd, chargedNanoUsd, repaidNanoUsd } = invoice;
  const { closingNanoUsd, writtenOffNanoUsd } = invoice;
  return {
    object: "invoice",
    account_id: invoice.accountId,
    month: invoice.month,
    closed: invoice.closed,
    opening_usd: usdText(openingNanoUsd),
    opening_nano_usd: openingNanoUsd,
    topped_up_usd: usdText(toppedUpNanoUsd),
    topped_up_nano_usd: toppedUpNanoUsd,
    corrected_usd: usdText(correctedNanoUsd),
    corrected_nano_usd: correctedNanoUsd,
    charged_usd: usdText(chargedNanoUsd),
    charged_nano_usd: chargedNanoUsd,
    repaid_usd: usdText(repaidNanoUsd),
    repaid_nano_usd: repaidNanoUsd,
    closing_usd: usdText(closingNanoUsd),
    closing_nano_usd: closingNanoUsd,
    written_off_usd: usdText(writtenOffNanoUsd),
    written_off_nano_usd: writtenOffNanoUsd,
    lines: invoice.lines.map(({ model, requests, chargedNanoUsd: charged }) => ({
      model,
      requests,
      charged_usd: usdText(charged),
      charged_nano_usd: charged,
    })),
  };
}

/** An account's months, newest first, all on one page. */
export const listInvoices: AdminHandler = async ({ clients, id }) => {
  const { invoices } = await clients.admin.listInvoices({ accountId: id }, { timeoutMs });
  return { body: listOf(invoices.map(showInvoice), "") };
};

export const getInvoice: AdminHandler = async ({ clients, id, request }) => ({
  body: showInvoice(
    await clients.admin.getInvoice({ accountId: id, month: String(request.params["month"]) }, { timeoutMs }),
  ),
});
