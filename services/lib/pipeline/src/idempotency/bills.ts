import type { MeteringServiceServer } from "@uag/proto/metering/v1/metering.ts";
import { Pricing, type UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import type { RpcClient } from "@uag/runtime/rpc/client";

const timeoutMs = 5_000;

/** What is known about the bill of an earlier run. */
export type Bill = Pick<UsageEvent, "costNanoUsd" | "pricing">;

/** Finds a request's bill; undefined while none is known, which may change. */
export type FindBill = (request: { accountId: string; requestId: string }) => Promise<Bill | undefined>;

/** True when something is owed; unpriced usage counts too. */
export function isBillable({ pricing, costNanoUsd }: Bill): boolean {
  return pricing === Pricing.UNPRICED || costNanoUsd > 0n;
}

/**
 * Looks up bills in metering, where they are applied. @throws {GatewayError} when metering cannot
 * be reached
 */
export function billsOf(metering: RpcClient<MeteringServiceServer>): FindBill {
  return async ({ accountId, requestId }) => {
    const { events } = await metering.findEvents({ accountId, requestIds: [requestId] }, { timeoutMs });
    return events[0];
  };
}
