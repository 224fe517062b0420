import { UserError } from "@uag/local/terminal/step";
import type { Live } from "../live.ts";
import { emptyPlan, type Plan } from "../plan.ts";
import { type Files, neededDump, type Source } from "../source.ts";
import { readActivity } from "./activity.ts";
import { openFolder } from "./folder.ts";
import { planKeys } from "./keys.ts";
import { planModels } from "./models.ts";
import { activity, key, model } from "./records.ts";

async function planOpenRouter({ dump }: Files, live: Live): Promise<Plan> {
  const folder = await openFolder(neededDump(dump));
  const keys = await folder.records("keys", key);
  const models = await folder.records("models", model);
  const used = await folder.records("activity", activity);
  if (keys.length + models.length + used.length === 0)
    throw new UserError(`${dump} has none of keys.json, models.json and activity.json.`);
  const plan = emptyPlan();
  planModels(plan, live, { models, activity: used });
  planKeys(plan, keys, Date.now());
  return plan;
}

const help = `brings over the keys, their limits and the names of models of an account at OpenRouter
    --dump <folder>     what its API returned: GET /api/v1/keys as keys.json (more pages as keys-2.json, ...), /models
                        as models.json, /activity as activity.json`;

/** OpenRouter: https://openrouter.ai/docs/api/api-reference */
export const openRouter: Source = {
  help,
  logs: "days",
  plan: planOpenRouter,
  spendLog: async ({ dump }, live, period) => await readActivity(await openFolder(neededDump(dump)), live, period),
};
