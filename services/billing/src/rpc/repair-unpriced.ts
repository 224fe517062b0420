import { GatewayError } from "@uag/contract/errors/gateway-error";
import { type EntryDocument, entryMessage } from "@uag/ledger/documents/ledger";
import { entryId } from "@uag/ledger/rules/entry";
import { maxAmount } from "@uag/ledger/rules/money";
import { readPage, toPageById } from "@uag/mongo/paging";
import type { Repair, RepairUnpricedRequest, RepairUnpricedResponse } from "@uag/proto/billing/v1/admin.ts";
import { Pricing } from "@uag/proto/metering/v1/usage.ts";
import type { Billing } from "../billing.ts";
import { repair } from "../repair/repair.ts";

async function unpricedRow({ store }: Billing, requestId: string): Promise<EntryDocument> {
  const row = await store.ledger.findById(entryId.settle(requestId)).lean<EntryDocument>();
  if (row === null) throw new GatewayError("not_found", "The request does not exist.", { param: "request_id" });
  if (row.event?.pricing === Pricing.UNPRICED) return row;
  throw new GatewayError("invalid_request", "The request is already priced.", { param: "request_id" });
}

/** Includes those already repaired: a caller that lists everything again sees every one. */
async function unpricedRows({ store }: Billing, request: RepairUnpricedRequest) {
  const { limit, after } = readPage(request.page);
  const found = await store.ledger
    .find({ "event.pricing": Pricing.UNPRICED, ...(after === "" ? {} : { requestId: { $gt: after } }) })
    .sort({ requestId: 1 })
    .limit(limit + 1)
    .lean<EntryDocument[]>();
  return toPageById(found, limit, (row) => row.requestId);
}

function checkCost(requestId: string, cost: bigint): void {
  if (requestId === "")
    throw new GatewayError("invalid_request", "A cost requires exactly one request_id.", { param: "request_id" });
  if (cost < 0n || cost > maxAmount)
    throw new GatewayError("invalid_request", "The cost must be 0 or more, and not too large.", {
      param: "cost_nano_usd",
    });
}

/**
 * Prices requests that were settled without a price, and corrects their charges; their own rows
 * stay as they are.
 */
export async function repairUnpriced(
  billing: Billing,
  request: RepairUnpricedRequest,
): Promise<RepairUnpricedResponse> {
  const { requestId, dryRun, actor, costNanoUsd: cost } = request;
  if (cost !== undefined) checkCost(requestId, cost);
  const prices = await billing.prices();
  const { rows, nextCursor } =
    requestId === ""
      ? await unpricedRows(billing, request)
      : { rows: [await unpricedRow(billing, requestId)], nextCursor: "" };
  const repairs: Repair[] = [];
  for (const row of rows) {
    const { event, chargedNanoUsd, writtenOffNanoUsd } = entryMessage(row);
    if (event === undefined) continue;
    const unpriced = { event, billed: chargedNanoUsd + writtenOffNanoUsd };
    repairs.push(await repair(billing, unpriced, { prices, cost, dryRun, actor }));
  }
  return { repairs, nextCursor };
}
