import { planKeyLimit } from "../key-budget.ts";
import type { Plan, PlannedKey } from "../plan.ts";
import { type BudgetRefs, budgetOf, type Levels, limitOf, ratesOf } from "./budgets.ts";
import type { RowOf } from "./tables.ts";

type Token = RowOf<"VerificationToken">;

/** Characters of LiteLLM's hash of a key that name it: enough to be unique, and no copy of the hash. */
const originDigits = 16;

/** How a key of LiteLLM is named here. @param token LiteLLM's SHA-256 of it */
export const originOf = (token: string): string => `litellm/${token.slice(0, originDigits)}`;

/** Keys of the sessions of LiteLLM's own pages. */
const sessionTeam = "litellm-dashboard";
/** Their words for all models of a team, and for none. */
const [allOfTeam, allOfProxy, none] = ["all-team-models", "all-proxy-models", "no-default-models"];

/** Why a key is not brought over; undefined: it is. */
function refusal({ blocked, expires, team_id: team }: Token, now: number): string | undefined {
  if (team === sessionTeam) return "It is a session of LiteLLM's own pages.";
  if (blocked) return "It is blocked.";
  if (expires && Date.parse(`${expires}Z`) <= now) return `It expired at ${expires} (UTC).`;
  return undefined;
}

/** The models of a list that another list allows; an empty list allows all. */
function allowed(own: readonly string[], above: readonly string[]): string[] {
  const all = (list: readonly string[]) => list.length === 0 || list.includes(allOfProxy as string);
  if (all(above) || own.includes(none as string)) return all(own) ? [] : [...own];
  if (all(own)) return [...above];
  return own.filter((model) => above.includes(model));
}

/** The models that a key may use: its own, within those of its team. */
function modelsOf({ models }: Token, team: RowOf<"TeamTable"> | undefined): string[] {
  const teams = team?.models ?? [];
  if (models.includes(allOfTeam as string)) return allowed([], teams);
  const both = allowed(models, teams);
  // An empty list would allow all.
  return both.length === 0 && models.length > 0 && teams.length > 0 ? [none as string] : both;
}

const tagsOf = ({ metadata: { tags } }: Token): string[] =>
  Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : [];

/** Settings of a key that have no equal here. */
function lost(token: Token): string[] {
  const given = (value: object): boolean => Object.keys(value).length > 0;
  return [
    given(token.aliases) ? "Its own aliases of models: use the models' aliases." : "",
    given(token.model_max_budget) ? "Its budgets for single models." : "",
    token.allowed_routes.length > 0 ? "Its allowed routes." : "",
    "logging" in token.metadata ? "Its logging callbacks." : "",
  ].filter((text) => text !== "");
}

interface Owners {
  readonly rows: Levels;
  readonly refs: BudgetRefs;
  readonly now: number;
}

/** The budget above a key: of its project, its team or its organization. */
function budgetAbove({ project_id: project, team_id: team, organization_id: organization }: Token, refs: BudgetRefs) {
  const levels = [`project/${project}`, `team/${team}`, `organization/${organization}`];
  return levels.map((level) => refs.get(level)).find((ref) => ref !== undefined);
}

function planKey(plan: Plan, token: Token, { rows, refs }: Owners): PlannedKey {
  const team = rows.teams.find(({ team_id: id }) => id === token.team_id);
  const shared = rows.budgets.find(({ budget_id: id }) => id === token.budget_id);
  const name = token.key_alias || token.key_name || "imported";
  const limit = limitOf(token, token.spend) ?? limitOf(shared, token.spend);
  const above = budgetAbove(token, refs);
  const own = limit === undefined ? undefined : budgetOf(limit);
  const origin = originOf(token.token);
  const spending = planKeyLimit(plan, { origin, name, above }, own);
  if (own?.note !== undefined) plan.notes.push({ what: `key ${name}`, why: own.note });
  const tags = [...tagsOf(token), ...(team === undefined ? [] : [`team:${team.team_alias || team.team_id}`])];
  return {
    origin,
    hint: token.key_name ?? "a key without a name",
    budget: spending.budget,
    fields: {
      key_alias: name,
      models: modelsOf(token, team),
      expires: token.expires ? `${token.expires.replace(" ", "T")}Z` : null,
      ...ratesOf({
        rpm_limit: token.rpm_limit ?? shared?.rpm_limit,
        tpm_limit: token.tpm_limit ?? shared?.tpm_limit,
        max_parallel_requests: token.max_parallel_requests ?? shared?.max_parallel_requests,
      }),
      max_budget: spending.maxBudget,
      metadata: { ...(tags.length > 0 && { tags }), ...(token.user_id && { litellm_user: token.user_id }) },
    },
  };
}

/** Plans a new key for each key that still works. */
export function planKeys(plan: Plan, tokens: readonly Token[], owners: Owners): void {
  for (const token of tokens) {
    const what = `key ${token.key_alias || token.key_name || "without a name"}`;
    const blockedTeam = owners.rows.teams.find(({ team_id: id, blocked }) => blocked && id === token.team_id);
    const why = refusal(token, owners.now) ?? (blockedTeam && "Its team is blocked.");
    if (why !== undefined) plan.notes.push({ what, why });
    else {
      plan.keys.push(planKey(plan, token, owners));
      plan.notes.push(...lost(token).map((text) => ({ what, why: `${text} There is no equal for a key here.` })));
    }
  }
}
