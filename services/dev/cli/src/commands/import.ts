// npm run import: brings keys, budgets, providers and models of another gateway to the running fleet.
import { parseArgs } from "node:util";
import { fail, print, UserError } from "@uag/local/terminal/step";
import { openDump } from "../import/dump.ts";
import { planLiteLlm } from "../import/litellm/read.ts";
import { type Live, readLive } from "../import/live.ts";
import type { Plan } from "../import/plan.ts";
import { runImport } from "../import/run.ts";
import { adminApi } from "./admin-api.ts";
import { accountIn, readTarget } from "./target.ts";

const help = `npm run import -- <gateway> [options]

  litellm           brings over what a LiteLLM proxy has
    --config <file>     its config.yaml: providers, models, aliases, fallbacks
    --dump <file>       its database: pg_dump --data-only --no-owner <database> > <file>

    --plan              only lists the changes; the default
    --apply             makes them; each is audited. What this gateway has already is not changed, so an import can be
                        repeated
    --mapping <file>    the file to which the new keys are appended; only its owner may read it
    --account <id>      the account of the keys and budgets; default: the account created by npm start

Keys get new secrets, because a gateway that accepts another one's hashes is as weak as that one's copies of them.
Variables that config.yaml names, LITELLM_SALT_KEY and LITELLM_MASTER_KEY are read from this shell; no secret is printed.
`;

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
const options = {
  config: text,
  dump: text,
  mapping: text,
  account: text,
  plan: flag,
  apply: flag,
  help: { ...flag, short: "h" },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

/** What each gateway has, as a plan. */
const planners: Readonly<Record<string, (values: Values, live: Live) => Promise<Plan>>> = {
  async litellm({ config, dump }, live) {
    if (config === undefined && dump === undefined) throw new UserError("Set --config, --dump or both.");
    const opened = dump === undefined ? undefined : await openDump(dump);
    return await planLiteLlm({ dump: opened, config, env: process.env }, live);
  },
};

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const [gateway] = positionals;
  if (values.help || gateway === undefined) {
    print(help.trimEnd());
    return 0;
  }
  const planner = Object.hasOwn(planners, gateway) ? planners[gateway] : undefined;
  if (planner === undefined) throw new UserError(`Unknown gateway "${gateway}".\n\n${help}`);
  if (values.plan && values.apply) throw new UserError("Set --plan or --apply, not both.");
  const target = await readTarget();
  const api = adminApi(target);
  const account = accountIn(target, values.account);
  const live = await readLive(api);
  const plan = await planner(values, live);
  return await runImport(plan, { api, live, account, planOnly: !values.apply, mapping: values.mapping });
}

process.exitCode = (await main().catch(fail)) ?? 1;
