import { cutPageById, readPage } from "@uag/mongo/paging.ts";
import type { ListKeysRequest, ListKeysResponse } from "@uag/proto/billing/v1/keys.ts";
import type { Billing } from "../billing.ts";
import { keyMessage } from "../keys/key.ts";
import type { KeyDocument } from "../store/keys.ts";

/** Keys, newest first: their ids sort by the time they were made. */
export async function listKeys(billing: Billing, request: ListKeysRequest): Promise<ListKeysResponse> {
  const { limit, after } = readPage(request.page);
  const filter = {
    ...(request.accountId === "" ? {} : { accountId: request.accountId }),
    ...(request.name === undefined ? {} : { name: request.name }),
    ...(request.includeRevoked ? {} : { revokedAt: null }),
    ...(after === "" ? {} : { _id: { $lt: after } }),
  };
  const found = await billing.store.keys
    .find(filter)
    .sort({ _id: -1 })
    .limit(limit + 1)
    .lean<KeyDocument[]>();
  const { rows, nextCursor } = cutPageById(found, limit, (key) => key._id);
  return { keys: rows.map(keyMessage), nextCursor };
}
