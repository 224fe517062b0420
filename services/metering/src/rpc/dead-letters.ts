import { GatewayError } from "@uag/contract/errors/gateway-error";
import type {
  ListDeadLettersRequest,
  ListDeadLettersResponse,
  PriceDeadLetterRequest,
  PriceDeadLetterResponse,
  RepairDeadLetterRequest,
  RepairDeadLetterResponse,
} from "@uag/proto/metering/v1/admin.ts";
import type { ApplyOptions } from "../apply/apply.ts";
import * as repair from "../apply/repair-dead-letters.ts";
import type { Store } from "../store/store.ts";

/** Lists usage that could not be applied, and what repairing it would charge. */
export async function listDeadLetters(
  store: Store,
  { requestId }: ListDeadLettersRequest,
): Promise<ListDeadLettersResponse> {
  const found = await repair.listDeadLetters(store, requestId);
  return {
    deadLetters: found.map((one) => ({
      id: one._id,
      requestId: one.requestId,
      accountId: one.accountId,
      reason: one.reason,
      deadLetteredAtMs: BigInt(one.buriedAt.getTime()),
      event: repair.repairedEvent(one),
    })),
  };
}

export async function priceDeadLetter(store: Store, request: PriceDeadLetterRequest): Promise<PriceDeadLetterResponse> {
  const { id, costNanoUsd } = request;
  if (costNanoUsd < 0n) throw new GatewayError("invalid_request", undefined, { param: "cost_nano_usd" });
  await repair.priceDeadLetter(store, id, costNanoUsd);
  return {};
}

/** Passes no expiry bound: dead-lettered events were never counted, however long ago they ended. */
export async function repairDeadLetter(
  options: ApplyOptions,
  { id }: RepairDeadLetterRequest,
): Promise<RepairDeadLetterResponse> {
  const refused = await repair.repairDeadLetter({ ...options, expiredBeforeMs: () => 0 }, id);
  if (refused === undefined) options.events.deadLetterRepaired(id);
  return { refused: refused ?? "" };
}
