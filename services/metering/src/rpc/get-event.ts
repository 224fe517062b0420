import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { GetEventRequest } from "@uag/proto/metering/v1/metering.ts";
import type { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { fromDocument } from "@uag/usage/documents/event";
import type { Store } from "../store/store.ts";

/**
 * One request by its id. @throws {GatewayError} `not_found` when it is not applied yet, or archived
 */
export async function getEvent({ partitions }: Store, { requestId }: GetEventRequest): Promise<UsageEvent> {
  for (const { rows } of await partitions.list()) {
    const found = await rows.findOne({ _id: requestId });
    if (found !== null) return fromDocument(found);
  }
  const text = "The request does not exist: it may be too new to be listed, or archived.";
  throw new GatewayError("not_found", text, { param: "request_id" });
}
