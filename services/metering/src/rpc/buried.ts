import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import type {
  ListBuriedRequest,
  ListBuriedResponse,
  PriceBuriedRequest,
  PriceBuriedResponse,
  RepairBuriedRequest,
  RepairBuriedResponse,
} from "@uag/proto/metering/v1/admin.ts";
import type { ApplyOptions } from "../apply/apply.ts";
import * as unbury from "../apply/unbury.ts";
import type { Store } from "../store/store.ts";

/** Usage that could not be applied, and what would be charged for it. */
export async function listBuried(store: Store, { requestId }: ListBuriedRequest): Promise<ListBuriedResponse> {
  const found = await unbury.listBuried(store, requestId);
  return {
    buried: found.map((one) => ({
      id: one._id,
      requestId: one.requestId,
      accountId: one.accountId,
      reason: one.reason,
      buriedAtMs: BigInt(one.buriedAt.getTime()),
      event: unbury.repairedEvent(one),
    })),
  };
}

export async function priceBuried(store: Store, request: PriceBuriedRequest): Promise<PriceBuriedResponse> {
  const { id, costNanoUsd } = request;
  if (costNanoUsd < 0n) throw new GatewayError("invalid_request", undefined, { param: "cost_nano_usd" });
  await unbury.priceBuried(store, id, costNanoUsd);
  return {};
}

/** Passes no expiry bound: buried events were never counted, however long ago they ended. */
export async function repairBuried(options: ApplyOptions, { id }: RepairBuriedRequest): Promise<RepairBuriedResponse> {
  const refused = await unbury.repairBuried({ ...options, expiredBeforeMs: () => 0 }, id);
  if (refused === undefined) options.events.unburied(id);
  return { refused: refused ?? "" };
}
