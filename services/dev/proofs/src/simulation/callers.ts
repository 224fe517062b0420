import type { Caller } from "@uag/proto/common/v1/caller.ts";
import type { AdmitRequest } from "@uag/usage/types";
import { budgetKey, monthlyBudget } from "./budgets.ts";
import type { Source } from "./crash-counts.ts";
import { limitedKey } from "./replica.ts";
import { accountId } from "./store.ts";

/** The sources of a key's funds. */
export function sourcesOf({ keyId, rootKeyId = keyId }: Caller): Source[] {
  const root = rootKeyId === limitedKey ? "capped" : rootKeyId === budgetKey ? "budget" : "plenty";
  return rootKeyId === keyId ? [root] : [root, "envelope"];
}

/** A key with a monthly budget. */
export const budgetCaller: Caller = {
  keyId: budgetKey,
  accountId,
  models: [],
  expiresAtMs: 0n,
  limits: {
    requestsPerMinute: 0n,
    tokensPerMinute: 0n,
    concurrentRequests: 0n,
    monthlyBudgetNanoUsd: monthlyBudget,
  },
  version: 1n,
  budgetIds: [],
  levels: [],
};

/** The same key, with a budget that it shares. */
export const sharingCaller: Caller = { ...budgetCaller, budgetIds: ["bud_team", "bud_organization", "bud_fleet"] };

/** A key without limits. */
export const freeCaller: Caller = {
  keyId: "key_free",
  accountId,
  models: [],
  expiresAtMs: 0n,
  limits: undefined,
  version: 1n,
  budgetIds: [],
  levels: [],
};

/** What every request of a caller has in common. */
export const requestOf = (caller: Caller): Omit<AdmitRequest, "requestId" | "holdNanoUsd" | "stream"> => ({
  caller,
  operation: "chat.completions",
  model: "m",
  tokens: 1,
  priceVersion: "v1",
});
