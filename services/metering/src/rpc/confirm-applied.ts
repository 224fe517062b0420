import type { ConfirmAppliedRequest, ConfirmAppliedResponse } from "@uag/proto/metering/v1/metering.ts";
import type { Store } from "../store/store.ts";

/** Which of these batches are settled and rolled up, by majority read: what is said here is never taken back. */
export async function confirmApplied(store: Store, request: ConfirmAppliedRequest): Promise<ConfirmAppliedResponse> {
  const found = await store.batches.find({ _id: { $in: request.batchIds } }, { projection: { _id: 1 } }).toArray();
  return { applied: found.map(({ _id }) => _id) };
}
