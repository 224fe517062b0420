import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { FindEventsRequest, FindEventsResponse } from "@uag/proto/metering/v1/metering.ts";
import { fromDocument } from "@uag/usage/documents/event";
import type { Store } from "../store/store.ts";

const maxIds = 100;

/** Finds single events by request id. Any that are found are settled with billing. */
export async function findEvents(
  store: Store,
  { accountId, requestIds }: FindEventsRequest,
): Promise<FindEventsResponse> {
  if (requestIds.length > maxIds) {
    throw new GatewayError("invalid_request", `At most ${maxIds} ids are allowed.`, { param: "request_ids" });
  }
  const partitions = await store.partitions.list();
  const found = await Promise.all(
    partitions.map(({ rows }) => rows.find({ _id: { $in: requestIds }, accountId }).toArray()),
  );
  return { events: found.flat().map(fromDocument) };
}
