import { GatewayError } from "@uag/contract/errors/gateway-error";
import { type EntryDocument, entryMessage } from "@uag/ledger/documents/ledger";
import { entryId } from "@uag/ledger/rules/entry";
import { readPage, toPageById } from "@uag/mongo/paging";
import type { ListEntriesRequest, ListEntriesResponse } from "@uag/proto/billing/v1/ledger.ts";
import type { Billing } from "../billing.ts";

async function ofRequest(billing: Billing, request: ListEntriesRequest): Promise<ListEntriesResponse> {
  const { accountId, requestId } = request;
  const rows = await billing.store.ledger
    .find({ _id: { $in: [entryId.settle(requestId), entryId.repair(requestId)] } })
    .sort({ seq: -1 })
    .lean<EntryDocument[]>();
  const fitting = rows.filter((row) => accountId === "" || row.accountId === accountId);
  return { entries: fitting.map(entryMessage), nextCursor: "" };
}

/** Rows of one account, newest first; or the rows of one request. */
export async function listEntries(billing: Billing, request: ListEntriesRequest): Promise<ListEntriesResponse> {
  if (request.requestId !== "") return ofRequest(billing, request);
  const { accountId } = request;
  if (accountId === "") {
    throw new GatewayError("invalid_request", "account_id: set it, or request_id.", { param: "account_id" });
  }
  const { limit, after } = readPage(request.page);
  if (!/^\d{0,18}$/.test(after)) throw new GatewayError("invalid_request", undefined, { param: "page.cursor" });
  const found = await billing.store.ledger
    .find(after === "" ? { accountId } : { accountId, seq: { $lt: BigInt(after) } })
    .sort({ seq: -1 })
    .limit(limit + 1)
    .lean<EntryDocument[]>();
  const { rows, nextCursor } = toPageById(found, limit, (row) => String(row.seq));
  return { entries: rows.map(entryMessage), nextCursor };
}
