import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { LeaseFetchesRequest, LeaseFetchesResponse } from "@uag/proto/billing/v1/limits.ts";
import type { Billing } from "../billing.ts";

const maxPermits = 1_024;
/** As reported to replicas: unused permits are given back after it. */
const leaseMs = 30_000;
const idPattern = /^[\w.:-]{1,200}$/;

/**
 * Leases permits to fetch URLs for an account, at most what is left of its budget, and takes back
 * those that the previous lease left unused.
 */
export async function leaseFetches(billing: Billing, request: LeaseFetchesRequest): Promise<LeaseFetchesResponse> {
  const { accountId, leaseId, endedLeaseId, need, want, unused } = request;
  const checks = {
    account_id: idPattern.test(accountId),
    lease_id: idPattern.test(leaseId),
    ended_lease_id: endedLeaseId === "" || idPattern.test(endedLeaseId),
    need: need <= maxPermits,
    want: want <= maxPermits,
    unused: unused <= maxPermits,
  };
  for (const [param, valid] of Object.entries(checks)) {
    if (!valid) throw new GatewayError("invalid_request", undefined, { param });
  }
  const { fetchBudget, events } = billing;
  const { leased, retryAfterMs } = await fetchBudget.lease(request);
  if (need > 0) events.fetchesLeased({ short: leased < need });
  return { leased, leaseMs, perHour: fetchBudget.perHour, retryAfterMs };
}
