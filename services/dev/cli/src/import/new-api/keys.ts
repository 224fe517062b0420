import { createHash } from "node:crypto";
import { planKeyLimit } from "../key-budget.ts";
import { type Plan, type PlannedKey, usdLeft } from "../plan.ts";
import type { Settings } from "./settings.ts";
import { enabled, listOf, type RowOf } from "./tables.ts";

type Token = RowOf<"tokens">;
type User = RowOf<"users">;

/** Characters of a token's hash that name it: enough to be unique, and no copy of the hash. */
const originDigits = 16;
const hintDigits = 4;
const never = -1;
/** The group of a token that may use several. */
const auto = "auto";

/** How a token of new-api is named here. */
export const originOf = ({ key }: Pick<Token, "key">): string =>
  `new-api/${createHash("sha256").update(key).digest("hex").slice(0, originDigits)}`;

/** The account of a user here. */
const accountOf = ({ id }: User): string => `new-api-${id}`;

/** The tokens and what they depend on. */
export interface Owners {
  readonly users: readonly User[];
  readonly settings: Settings;
  /** The models that each group may use. */
  readonly groups: ReadonlyMap<string, ReadonlySet<string>>;
  readonly now: number;
}

/** The models that a token's group may use, and whether they are all that new-api serves. */
function modelsOfGroup(token: Token, user: User, { groups, settings }: Owners): { models: Set<string>; all: boolean } {
  const group = token.group || user.group || "default";
  const used = group === auto ? settings.autoGroups : [group];
  const models = new Set(used.flatMap((name) => [...(groups.get(name) ?? [])]));
  const served = new Set([...groups.values()].flatMap((names) => [...names]));
  return { models, all: models.size === served.size };
}

/** The models that a token may use: its own, within those of its group. Empty: all. */
function modelsOf(token: Token, user: User, owners: Owners): string[] {
  const { models, all } = modelsOfGroup(token, user, owners);
  if (token.model_limits_enabled) return listOf(token.model_limits).filter((name) => models.has(name));
  return all ? [] : [...models];
}

/** Why a token is not brought over; undefined: it is. */
function refusal(token: Token, user: User | undefined, owners: Owners): string | undefined {
  const { status, expired_time: expires, unlimited_quota: isUnlimited, remain_quota: left } = token;
  if (user === undefined || user.deleted_at) return "Its user was deleted.";
  if (user.status !== enabled) return `Its user ${user.username} is disabled.`;
  if (expires !== never && expires * 1_000 <= owners.now)
    return `It expired at ${new Date(expires * 1_000).toISOString()}.`;
  if (!isUnlimited && left <= 0) return "Its quota is used up.";
  if (status !== enabled) return "It is disabled.";
  if (modelsOfGroup(token, user, owners).models.size === 0) return "Its group has no models.";
  if (token.model_limits_enabled && modelsOf(token, user, owners).length === 0)
    return "None of its models is one of its group.";
  return undefined;
}

function planKey(plan: Plan, token: Token, user: User, owners: Owners): PlannedKey {
  const { settings } = owners;
  const name = token.name || "imported";
  const account = accountOf(user);
  const origin = originOf(token);
  const amount = token.unlimited_quota ? undefined : usdLeft(token.remain_quota / settings.unitsPerUsd);
  const limit = amount === undefined ? undefined : ({ amount, period: "total" } as const);
  const spending = planKeyLimit(plan, { origin, name, account }, limit);
  const group = token.group || user.group;
  return {
    origin,
    hint: `sk-...${token.key.slice(-hintDigits)}`,
    budget: spending.budget,
    account,
    fields: {
      key_alias: name,
      models: modelsOf(token, user, owners),
      expires: token.expired_time === never ? null : new Date(token.expired_time * 1_000).toISOString(),
      max_budget: spending.maxBudget,
      metadata: { new_api_user: user.username, ...(group && { tags: [`group:${group}`] }) },
    },
  };
}

/** Plans an account for each user who has tokens that work, with the balance that is left. */
function planAccounts(plan: Plan, owners: Owners, used: ReadonlySet<string>): void {
  for (const user of owners.users.filter((each) => used.has(accountOf(each)))) {
    const { username, display_name: shown, quota } = user;
    const balance = quota > 0 ? usdLeft(quota / owners.settings.unitsPerUsd) : undefined;
    plan.accounts.push({ id: accountOf(user), name: shown || username, balance });
    if (balance === undefined) plan.notes.push({ what: `user ${username}`, why: "The user has no quota left." });
  }
}

/** Prices differ by group in new-api, and by nothing here. */
function noteRatios({ notes }: Plan, groups: ReadonlySet<string>, { groupRatio }: Settings): void {
  for (const group of groups) {
    const ratio = groupRatio[group] ?? 1;
    const why = `Its prices are multiplied by ${ratio}. Prices here are the same for all accounts, and a balance is the same amount of USD.`;
    if (ratio !== 1) notes.push({ what: `group ${group}`, why });
  }
}

/** Plans a new key for each token that still works, and the accounts of their users. */
export function planKeys(plan: Plan, tokens: readonly Token[], owners: Owners): void {
  const groups = new Set<string>();
  for (const token of tokens.filter(({ deleted_at: deletedAt }) => !deletedAt)) {
    const what = `key ${token.name || "without a name"}`;
    const user = owners.users.find(({ id }) => id === token.user_id);
    const why = refusal(token, user, owners);
    if (why !== undefined || user === undefined) plan.notes.push({ what, why: why ?? "Its user was deleted." });
    else {
      groups.add(token.group || user.group || "default");
      plan.keys.push(planKey(plan, token, user, owners));
      if (token.allow_ips?.trim())
        plan.notes.push({ what, why: "Its allowed addresses. There is no equal for a key here." });
    }
  }
  planAccounts(plan, owners, new Set(plan.keys.flatMap(({ account }) => (account === undefined ? [] : [account]))));
  noteRatios(plan, groups, owners.settings);
}
