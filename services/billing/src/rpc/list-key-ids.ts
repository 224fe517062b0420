import type { ListKeyIdsRequest, ListKeyIdsResponse } from "@uag/proto/billing/v1/keys.ts";
import type { Billing } from "../billing.ts";
import { allKeysBelow, isBelow } from "../keys/below-budget.ts";

/** The keys below a budget, or the one that is asked for if it is among them. */
export async function listKeyIds(
  { store }: Billing,
  { budgetId, keyId }: ListKeyIdsRequest,
): Promise<ListKeyIdsResponse> {
  if (keyId === "") return { ids: await allKeysBelow(store, budgetId) };
  return { ids: (await isBelow(store, budgetId, keyId)) ? [keyId] : [] };
}
