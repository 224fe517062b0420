import { recordMessage } from "@uag/ledger/books/audit-chain";
import type { AuditDocument } from "@uag/ledger/documents/audit-log";
import { readTimedPage, timedCursor, toPage } from "@uag/mongo/paging";
import type { ListAuditRecordsRequest, ListAuditRecordsResponse } from "@uag/proto/billing/v1/admin.ts";
import type { Billing } from "../billing.ts";

/** Administrative changes, newest first. */
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
    .lean<AuditDocument[]>();
  const { rows, nextCursor } = toPage(found, limit, (row) => timedCursor(row.at, row._id));
  return { records: rows.map(recordMessage), nextCursor };
}
