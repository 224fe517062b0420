import type { ConfirmAppliedRequest, ConfirmAppliedResponse } from "@uag/proto/metering/v1/metering.ts";
import type { Store } from "../store/store.ts";
import type { StreamState } from "../stream/stream-state.ts";

/**
 * Which of these batches are settled and rolled up, by majority read, so the result is never rolled
 * back.
 */
export async function findApplied(store: Store, batchIds: string[]): Promise<string[]> {
  const found = await store.batches.find({ _id: { $in: batchIds } }, { projection: { _id: 1 } }).toArray();
  return found.map(({ _id }) => _id);
}

/**
 * Also returns the stream's state from before the lookup: a batch in neither is lost and must be
 * published again.
 */
export async function confirmApplied(
  { store, stream }: { readonly store: Store; readonly stream: StreamState },
  request: ConfirmAppliedRequest,
): Promise<ConfirmAppliedResponse> {
  const held = await stream.get();
  return { applied: await findApplied(store, request.batchIds), stream: held };
}
