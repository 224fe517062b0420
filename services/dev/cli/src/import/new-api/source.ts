import { UserError } from "@uag/local/terminal/step";
import { openDump } from "../dump/dump.ts";
import type { Live } from "../live.ts";
import { planModels } from "../models.ts";
import { emptyPlan, type Plan } from "../plan.ts";
import { type Files, neededDump, type Source } from "../source.ts";
import { modelsOfGroups, readChannels } from "./channels.ts";
import { planKeys } from "./keys.ts";
import { readSettings } from "./settings.ts";
import { readSpendLog } from "./spend-log.ts";
import { tables } from "./tables.ts";

/** Providers whose credentials come from channels with other models: a credential is not limited to models here. */
function noteSharedKeys({ credentials, notes }: Plan): void {
  for (const [provider, group] of Map.groupBy(credentials, (credential) => credential.provider)) {
    const names = [...new Set(group.map(({ share }) => share?.name))];
    if (names.length > 1)
      notes.push({
        what: `channels ${names.join(", ")}`,
        why: `Their keys are those of one provider here, ${provider}, and each is used for all of its models.`,
      });
  }
}

async function planNewApi({ dump: file }: Files, live: Live): Promise<Plan> {
  const dump = await openDump(neededDump(file));
  const plan = emptyPlan();
  const settings = await readSettings(dump);
  const channels = await tables.rows(dump, "channels");
  const users = await tables.rows(dump, "users");
  if (users.length === 0) throw new UserError(`${file} has no users of new-api: it is not its database.`);
  planModels(plan, live, { deployments: readChannels(channels, settings, plan), aliases: {}, fallbacks: [] });
  noteSharedKeys(plan);
  const owners = { users, settings, groups: modelsOfGroups(channels), now: Date.now() };
  planKeys(plan, await tables.rows(dump, "tokens"), owners);
  return plan;
}

const help = `brings over what a new-api has: channels, tokens, users and their quota
    --dump <file>       its database: the file of SQLite, copied by sqlite3 one-api.db ".backup <file>", or
                        pg_dump --data-only --no-owner <database> > <file>`;

/** new-api, the successor of one-api: https://github.com/QuantumNous/new-api */
export const newApi: Source = {
  help,
  logs: "requests",
  plan: planNewApi,
  spendLog: async ({ dump }, live, period) => await readSpendLog(await openDump(neededDump(dump)), live, period),
};
