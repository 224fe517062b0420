import type { Dump } from "../dump.ts";
import type { Live } from "../live.ts";
import { emptyPlan, type Note, type Plan } from "../plan.ts";
import { type Levels, planBudgets } from "./budgets.ts";
import { readConfigFile, readDeployments, type Served } from "./deployments.ts";
import { planKeys } from "./keys.ts";
import { planModels } from "./models.ts";
import { rowsOf } from "./tables.ts";

/** Where LiteLLM's settings are. */
export interface LiteLlmSource {
  readonly dump: Dump | undefined;
  /** The path of its `config.yaml`. */
  readonly config: string | undefined;
  readonly env: NodeJS.ProcessEnv;
}

/** Limits of LiteLLM that have no equal here. */
async function lostLimits(dump: Dump): Promise<Note[]> {
  const users = (await rowsOf(dump, "UserTable")).filter(({ max_budget: max }) => typeof max === "number");
  const endUsers = (await rowsOf(dump, "EndUserTable")).filter(({ budget_id: id }) => id);
  const members = (await rowsOf(dump, "TeamMembership")).filter(({ budget_id: id }) => id);
  const why = "There is no budget of a person here. Give the keys a budget that they share.";
  return [
    ...users.map(({ user_id: id }) => ({ what: `budget of user ${id}`, why })),
    ...endUsers.map(({ user_id: id }) => ({ what: `budget of end user ${id}`, why })),
    ...members.map(({ user_id: id, team_id: team }) => ({ what: `budget of ${id} in team ${team}`, why })),
  ];
}

async function levelsIn(dump: Dump): Promise<Levels> {
  return {
    budgets: await rowsOf(dump, "BudgetTable"),
    organizations: await rowsOf(dump, "OrganizationTable"),
    teams: await rowsOf(dump, "TeamTable"),
    projects: await rowsOf(dump, "ProjectTable"),
  };
}

/** Aliases that only one team has, which have no equal here. */
async function teamAliases(dump: Dump, { teams }: Levels): Promise<Note[]> {
  const given = (await rowsOf(dump, "ModelTable")).filter(({ aliases }) => Object.keys(aliases).length > 0);
  return given.map(({ id, aliases }) => {
    const team = teams.find((each) => each.model_id === id);
    const what = `aliases of team ${team?.team_alias ?? id} (${Object.keys(aliases).join(", ")})`;
    return { what, why: "A model's aliases are the same for all keys here." };
  });
}

/** Reads what LiteLLM has, as a plan for this gateway. @throws {UserError} for files that are not LiteLLM's */
export async function planLiteLlm({ dump, config, env }: LiteLlmSource, live: Live): Promise<Plan> {
  const plan = emptyPlan();
  const nothing: Served = { deployments: [], aliases: {}, fallbacks: [], notes: [] };
  const file = config === undefined ? nothing : await readConfigFile(config, env);
  const stored = dump === undefined ? nothing : await readDeployments(dump, env);
  plan.notes.push(...file.notes, ...stored.notes);
  planModels(plan, live, { ...file, deployments: [...file.deployments, ...stored.deployments] });
  if (dump === undefined) return plan;
  const rows = await levelsIn(dump);
  const refs = planBudgets(plan, rows);
  planKeys(plan, await rowsOf(dump, "VerificationToken"), { rows, refs, now: Date.now() });
  plan.notes.push(...(await lostLimits(dump)), ...(await teamAliases(dump, rows)));
  return plan;
}
