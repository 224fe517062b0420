import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { GrantDocument } from "@uag/ledger/documents/grants";
import type { HolderDocument } from "@uag/ledger/documents/holders";
import { readPage, toPageById } from "@uag/mongo/paging";
import type { Hold, ListHoldsRequest, ListHoldsResponse } from "@uag/proto/billing/v1/admin.ts";
import type { Billing } from "../billing.ts";

function holdOf(grant: GrantDocument, services: ReadonlyMap<string, string>): Hold {
  return {
    grantId: grant._id,
    holderId: grant.holderId,
    service: services.get(grant.holderId) ?? "",
    keyId: grant.keyId ?? "",
    amountNanoUsd: grant.amount,
    returnedNanoUsd: grant.returned,
    chargedNanoUsd: grant.settled,
    open: grant.state === "open",
    createdAtMs: BigInt(grant.createdAt.getTime()),
    taskUntilMs: BigInt(grant.taskUntil?.getTime() ?? 0),
  };
}

/** The grants that hold an account's money, oldest first: their ids sort by creation time. */
export async function listHolds({ store }: Billing, { accountId, page }: ListHoldsRequest): Promise<ListHoldsResponse> {
  if (accountId === "") throw new GatewayError("invalid_request", "Set an account.", { param: "account_id" });
  const { limit, after } = readPage(page);
  const found = await store.grants
    .find({ accountId, live: true, ...(after !== "" && { _id: { $gt: after } }) })
    .sort({ _id: 1 })
    .limit(limit + 1)
    .lean<GrantDocument[]>();
  const { rows, nextCursor } = toPageById(found, limit, (grant) => grant._id);
  const ids = [...new Set(rows.map(({ holderId }) => holderId))];
  const holders = await store.holders.find({ _id: { $in: ids } }, { service: 1 }).lean<HolderDocument[]>();
  const services = new Map(holders.map(({ _id, service }) => [_id, service]));
  return { holds: rows.map((grant) => holdOf(grant, services)), nextCursor };
}
