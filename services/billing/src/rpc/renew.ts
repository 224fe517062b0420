import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { RenewRequest, RenewResponse } from "@uag/proto/billing/v1/limits.ts";
import type { Billing } from "../billing.ts";
import { renewLease } from "../limits/holders.ts";

/** The lease as reported to holders. */
const leaseMs = 4_000;
/** Added to that lease, for clocks that run at different speeds. */
const marginMs = 500;

/**
 * How long everything must have been healthy before a silent holder counts as dead, milliseconds.
 */
export const steadyMs = leaseMs + marginMs;

/**
 * Renews a holder's lease on its permits. One whose lease expired but whose permits were not
 * reclaimed lives on.
 */
export async function renew(billing: Billing, request: RenewRequest): Promise<RenewResponse> {
  if (request.holderId === "") throw new GatewayError("invalid_request", undefined, { param: "holder_id" });
  try {
    const alive = await renewLease(billing.store.limitHolders, request.holderId, leaseMs + marginMs);
    return alive ? { leaseMs, lapsed: false } : { leaseMs: 0, lapsed: true };
  } catch (error) {
    billing.limits.livenessGuard.disturbed();
    throw error;
  }
}
