import { recordMessage } from "@uag/ledger/books/audit-chain";
import type { AuditDocument } from "@uag/ledger/documents/audit-log";
import { refuseLongSearch, type SearchLimit } from "@uag/mongo/long-search";
import { longRowsAtOnce, readLongRows, readTimedPage, timedCursor } from "@uag/mongo/paging";
import type { ListAuditRecordsRequest, ListAuditRecordsResponse } from "@uag/proto/billing/v1/admin.ts";
import type { Billing } from "../billing.ts";

/** Within the time limit of a call. */
const search: SearchLimit = { maxTimeMS: 4_000, remedy: "Filter by account or by target as well.", param: "action" };

/**
 * Administrative changes, newest first.
 * @throws {GatewayError} `invalid_request` for a search that takes too long
 */
export async function listAuditRecords(
  billing: Billing,
  request: ListAuditRecordsRequest,
): Promise<ListAuditRecordsResponse> {
  const { accountId, targetId, action } = request;
  const { limit, after } = readTimedPage(request.page);
  const found = await billing.store.audit
    .find({
      ...(accountId === "" ? {} : { accountId }),
      ...(targetId === "" ? {} : { targetId }),
      ...(action === "" ? {} : { action }),
      ...(after && { $or: [{ at: { $lt: after.at } }, { at: after.at, _id: { $lt: after.id } }] }),
    })
    .sort({ at: -1, _id: -1 })
    .limit(limit + 1)
    .maxTimeMS(search.maxTimeMS)
    .lean<AuditDocument[]>()
    .cursor({ batchSize: longRowsAtOnce });
  const { rows, nextCursor } = await readLongRows(found, limit, {
    cursorOf: (row) => timedCursor(row.at, row._id),
    sizeOf: ({ before = "", after: changed = "" }) => before.length + changed.length,
  }).catch(refuseLongSearch(search));
  return { records: rows.map(recordMessage), nextCursor };
}
