import { createHmac } from "node:crypto";
import { endUserLevelId } from "@uag/contract/end-users";
import type { Caller, EndUserRule, Level } from "@uag/proto/common/v1/caller.ts";

/** Characters of base64url that have 128 bits, rounded up. */
const pseudonymLength = 22;

/** The id of an end user's level. */
export function levelIdOf({ budgetId, secret }: Pick<EndUserRule, "budgetId" | "secret">, endUser: string): string {
  const pseudonym = createHmac("sha256", secret).update(endUser).digest("base64url").slice(0, pseudonymLength);
  return endUserLevelId(budgetId, pseudonym);
}

/**
 * The caller of a request of an end user: it has a level of its own for each rule among the budgets of
 * the key. The last levels are the end user's: a request that others refuse takes nothing of them.
 */
export function callerFor(caller: Caller, rules: readonly EndUserRule[], endUser: string): Caller {
  const own = rules.map((rule): Level => {
    const { name, limits, version } = rule;
    return { id: levelIdOf(rule, endUser), name, limits, models: [], version };
  });
  return {
    ...caller,
    budgetIds: [...own.map(({ id }) => id), ...caller.budgetIds],
    levels: [...caller.levels, ...own],
  };
}
