import type { Caller } from "@uag/proto/common/v1/caller.ts";
import { callerFor } from "@uag/usage/end-users/caller";
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

/** The team's rule for end users; `budgets.ts` has what each has. */
const rule = {
  budgetId: "bud_team",
  name: "bud_team",
  secret: Buffer.alloc(32),
  required: false,
  limits: undefined,
  version: 1n,
};

/** Every second request of a key in the team names an end user. */
export function orEndUser(caller: Caller, random: (below: number) => number): Caller {
  if (!caller.budgetIds.includes(rule.budgetId)) return caller;
  const name = ["", "", "alice", "bob"][random(4)] ?? "";
  return name === "" ? caller : callerFor(caller, [rule], name);
}

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
