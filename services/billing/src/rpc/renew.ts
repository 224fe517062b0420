import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import type { RenewRequest, RenewResponse } from "@uag/proto/billing/v1/limits.ts";
import type { Billing } from "../billing.ts";
import { renewLease } from "../limits/holders.ts";

/** What a holder is told. */
const leaseMs = 4_000;
/** What it gets beyond that, for clocks that do not run alike. */
const marginMs = 500;

/**
 * How long everything must have been well before a silent holder is taken for dead, milliseconds.
 */
export const steadyMs = leaseMs + marginMs;

/** Keeps a holder's permits. One whose lease ran out but whose permits nobody took lives on. */
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
