import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import type { Key, UpdateKeyRequest } from "@uag/proto/billing/v1/keys.ts";
import type { Limits } from "@uag/proto/common/v1/caller.ts";
import type { Billing } from "../billing.ts";
import { announceChange } from "../keys/announce.ts";
import { changeKey } from "../keys/change-key.ts";
import { dateOf, keyMessage, limitsDocument, tagsOf } from "../keys/key.ts";
import { checkKeyFields } from "../keys/validate.ts";

/** The fields to set, by path in the document. */
type Change = Readonly<Record<string, unknown>>;

const limitField =
  (field: keyof Limits) =>
  (request: UpdateKeyRequest): Change => ({ [`limits.${field}`]: limitsDocument(request.limits)[field] });

const fieldOf: Record<string, (request: UpdateKeyRequest) => Change> = {
  name: (request) => ({ name: request.name }),
  models: (request) => ({ models: request.models }),
  "limits.requests_per_minute": limitField("requestsPerMinute"),
  "limits.tokens_per_minute": limitField("tokensPerMinute"),
  "limits.concurrent_requests": limitField("concurrentRequests"),
  "limits.monthly_budget_nano_usd": limitField("monthlyBudgetNanoUsd"),
  limits: (request) => ({ limits: limitsDocument(request.limits) }),
  expires_at_ms: (request) => ({ expiresAt: dateOf(request.expiresAtMs) }),
  metadata: ({ metadata = "{}" }) => ({ metadata, tags: tagsOf(metadata) }),
};

/** Changes the named fields of a key and notifies the routers at once. */
export async function updateKey(billing: Billing, request: UpdateKeyRequest): Promise<Key> {
  checkKeyFields(request);
  const set: Record<string, unknown> = {};
  for (const field of request.fields) {
    const change = Object.hasOwn(fieldOf, field) ? fieldOf[field]?.(request) : undefined;
    if (change === undefined) {
      throw new GatewayError("invalid_request", `A key's "${field}" cannot be changed.`, { param: "fields" });
    }
    Object.assign(set, change);
  }
  const { id, actor } = request;
  const key = await changeKey(billing, { id, actor, action: "key.update", decide: () => set });
  announceChange(billing, key, "updated");
  return keyMessage(key);
}
