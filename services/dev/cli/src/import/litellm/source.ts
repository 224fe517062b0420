import { UserError } from "@uag/local/terminal/step";
import { openDump } from "../dump/dump.ts";
import type { Dump } from "../dump/row.ts";
import type { Live } from "../live.ts";
import { planModels } from "../models.ts";
import { emptyPlan, type Note, type Plan } from "../plan.ts";
import { type Files, neededDump, type Source } from "../source.ts";
import { type Levels, planBudgets } from "./budgets.ts";
import { readConfigFile, readDeployments, type Served } from "./deployments.ts";
import { planKeys } from "./keys.ts";
import { sharedDeployment } from "./models.ts";
import { readSpendLog } from "./spend-log.ts";
import { tables } from "./tables.ts";

/** Limits of LiteLLM that have no equal here. */
async function lostLimits(dump: Dump): Promise<Note[]> {
  const users = (await tables.rows(dump, "UserTable")).filter(({ max_budget: max }) => typeof max === "number");
  const endUsers = (await tables.rows(dump, "EndUserTable")).filter(({ budget_id: id }) => id);
  const members = (await tables.rows(dump, "TeamMembership")).filter(({ budget_id: id }) => id);
  const why = "There is no budget of a person here. Give the keys a budget that they share.";
  return [
    ...users.map(({ user_id: id }) => ({ what: `budget of user ${id}`, why })),
    ...endUsers.map(({ user_id: id }) => ({ what: `budget of end user ${id}`, why })),
    ...members.map(({ user_id: id, team_id: team }) => ({ what: `budget of ${id} in team ${team}`, why })),
  ];
}

async function levelsIn(dump: Dump): Promise<Levels> {
  return {
    budgets: await tables.rows(dump, "BudgetTable"),
    organizations: await tables.rows(dump, "OrganizationTable"),
    teams: await tables.rows(dump, "TeamTable"),
    projects: await tables.rows(dump, "ProjectTable"),
  };
}

/** Aliases that only one team has, which have no equal here. */
async function teamAliases(dump: Dump, { teams }: Levels): Promise<Note[]> {
  const given = (await tables.rows(dump, "ModelTable")).filter(({ aliases }) => Object.keys(aliases).length > 0);
  return given.map(({ id, aliases }) => {
    const team = teams.find((each) => each.model_id === id);
    const what = `aliases of team ${team?.team_alias ?? id} (${Object.keys(aliases).join(", ")})`;
    return { what, why: "A model's aliases are the same for all keys here." };
  });
}

async function planLiteLlm({ dump: file, config }: Files, live: Live): Promise<Plan> {
  if (config === undefined && file === undefined) throw new UserError("Set --config, --dump or both.");
  const dump = file === undefined ? undefined : await openDump(file);
  const plan = emptyPlan();
  const nothing: Served = { deployments: [], aliases: {}, fallbacks: [], notes: [] };
  const given = config === undefined ? nothing : await readConfigFile(config, process.env);
  const stored = dump === undefined ? nothing : await readDeployments(dump, process.env);
  plan.notes.push(...given.notes, ...stored.notes);
  const deployments = [...given.deployments, ...stored.deployments].map(sharedDeployment);
  planModels(plan, live, { ...given, deployments });
  if (dump === undefined) return plan;
  const rows = await levelsIn(dump);
  const refs = planBudgets(plan, rows);
  planKeys(plan, await tables.rows(dump, "VerificationToken"), { rows, refs, now: Date.now() });
  plan.notes.push(...(await lostLimits(dump)), ...(await teamAliases(dump, rows)));
  return plan;
}

const help = `brings over what a LiteLLM proxy has
    --config <file>     its config.yaml: providers, models, aliases, fallbacks
    --dump <file>       its database: pg_dump --data-only --no-owner <database> > <file>
    Variables that config.yaml names, LITELLM_SALT_KEY and LITELLM_MASTER_KEY are read from this shell.`;

/** LiteLLM: https://docs.litellm.ai/docs/proxy/configs */
export const liteLlm: Source = {
  help,
  logs: "requests",
  plan: planLiteLlm,
  spendLog: async ({ dump }, live, period) => await readSpendLog(await openDump(neededDump(dump)), live, period),
};
