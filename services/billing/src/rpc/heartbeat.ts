import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { HeartbeatRequest, HeartbeatResponse } from "@uag/proto/billing/v1/grants.ts";
import type { Billing } from "../billing.ts";
import { beat } from "../grants/holders.ts";

/** Renews a holder's lease. One whose lease expired but that was not fenced yet lives on. */
export async function heartbeat(billing: Billing, request: HeartbeatRequest): Promise<HeartbeatResponse> {
  const { holderId, service } = request;
  const { leaseMs } = billing.settings;
  if (holderId === "") throw new GatewayError("invalid_request", undefined, { param: "holder_id" });
  if (await beat(billing.store, { id: holderId, service, leaseMs })) {
    return { leaseMs, nowMs: BigInt(await billing.clock.moment()) };
  }
  billing.events.fenced(holderId);
  throw new GatewayError("permission_denied", "This holder was fenced. Start a new holder session.", {
    param: "holder_id",
  });
}
