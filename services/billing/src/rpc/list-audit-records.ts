import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import type { ListAuditRecordsRequest, ListAuditRecordsResponse } from "@uag/proto/billing/v1/admin.ts";
import { recordMessage } from "../audit/chain.ts";
import type { Billing } from "../billing.ts";
import type { AuditDocument } from "../store/audit-log.ts";
import { readPage } from "./page.ts";

const placeOf = (row: AuditDocument): string => Buffer.from(`${row.at.getTime()} ${row._id}`).toString("base64url");

/** Where the page before ended. A record's id may hold anything that a top-up's reference may. */
function readPlace(cursor: string): { at: Date; id: string } | undefined {
  if (cursor === "") return undefined;
  const [, ms, id] = /^(\d{1,15}) (.{1,400})$/s.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (ms === undefined || id === undefined) {
    throw new GatewayError("invalid_request", "The cursor is not one of ours.", { param: "page.cursor" });
  }
  return { at: new Date(Number(ms)), id };
}

/** Administrative changes, newest first. */
export async function listAuditRecords(
  billing: Billing,
  request: ListAuditRecordsRequest,
): Promise<ListAuditRecordsResponse> {
  const { accountId, targetId, action } = request;
  const { limit } = readPage({ limit: request.page?.limit ?? 0, cursor: "" });
  const place = readPlace(request.page?.cursor ?? "");
  const found = await billing.store.audit
    .find({
      ...(accountId === "" ? {} : { accountId }),
      ...(targetId === "" ? {} : { targetId }),
      ...(action === "" ? {} : { action }),
      ...(place && { $or: [{ at: { $lt: place.at } }, { at: place.at, _id: { $lt: place.id } }] }),
    })
    .sort({ at: -1, _id: -1 })
    .limit(limit + 1)
    .lean<AuditDocument[]>();
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return { records: page.map(recordMessage), nextCursor: last === undefined ? "" : placeOf(last) };
}
