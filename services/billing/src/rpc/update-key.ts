import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Key, UpdateKeyRequest } from "@uag/proto/billing/v1/keys.ts";
import type { Billing } from "../billing.ts";
import { chainOf } from "../budgets/chain.ts";
import { refuseEnvelopeKey } from "../envelopes/fields.ts";
import { announceChange, announceEnvelopesOf } from "../keys/announce.ts";
import { changeKey } from "../keys/change-key.ts";
import { changeOf, checkKeyFields, keyMessage } from "../keys/fields.ts";
import { applyLimits } from "../limits/apply-limits.ts";

/** Changes the named fields of a key and notifies the routers at once. */
export async function updateKey(billing: Billing, request: UpdateKeyRequest): Promise<Key> {
  checkKeyFields(request);
  const set: Record<string, unknown> = {};
  const { id, actor, fields } = request;
  for (const field of fields) {
    const change = changeOf(request, field);
    if (change === undefined) {
      throw new GatewayError("invalid_request", `A key's "${field}" cannot be changed.`, { param: "fields" });
    }
    Object.assign(set, change);
  }
  const { budgetId = "" } = request;
  const key = await changeKey(billing, {
    id,
    actor,
    action: "key.update",
    decide: async (before, { session }) => {
      refuseEnvelopeKey(before);
      const { accountId } = before;
      if (!fields.includes("budget_id")) return set;
      const budgetIds = await chainOf(billing.store, session, { accountId, budgetId, param: "budget_id" });
      return { ...set, budgetIds };
    },
  });
  await applyLimits(billing, key);
  // What holders have not spent of the former budget returns, and is granted again by the new one.
  if (fields.includes("limits") && key.limits.monthlyBudgetNanoUsd > 0n) billing.recall(key.accountId);
  announceChange(billing, key, "updated");
  await announceEnvelopesOf(billing, id);
  return keyMessage(key);
}
