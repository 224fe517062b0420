import type { RpcClient } from "@uag/kit/rpc/client.ts";
import type { MeteringServiceServer } from "@uag/proto/metering/v1/metering.ts";
import { Pricing, type UsageEvent } from "@uag/proto/metering/v1/usage.ts";

const timeoutMs = 5_000;

/** What is known of the bill of an earlier run. */
export type Bill = Pick<UsageEvent, "costNanoUsd" | "pricing">;

/** Says what a request was billed; undefined when nothing is known of it, which may change. */
export type FindBill = (request: { accountId: string; requestId: string }) => Promise<Bill | undefined>;

/** What has no price yet is owed all the same. */
export function isOwed({ pricing, costNanoUsd }: Bill): boolean {
  return pricing === Pricing.UNPRICED || costNanoUsd > 0n;
}

/**
 * Looks for bills where they are applied. @throws {GatewayError} when metering cannot be reached
 */
export function billsOf(metering: RpcClient<MeteringServiceServer>): FindBill {
  return async ({ accountId, requestId }) => {
    const { events } = await metering.findEvents({ accountId, requestIds: [requestId] }, { timeoutMs });
    return events[0];
  };
}
