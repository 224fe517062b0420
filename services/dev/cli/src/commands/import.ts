// npm run import: brings keys, budgets, providers and models of another gateway to the running fleet.
import { parseArgs } from "node:util";
import { fail, print, UserError } from "@uag/local/terminal/step";
import { readLedger, readPrices } from "../import/compare/ledger.ts";
import { match } from "../import/compare/match.ts";
import { compare, report } from "../import/compare/report.ts";
import { openDump } from "../import/dump.ts";
import { planLiteLlm } from "../import/litellm/read.ts";
import { readSpendLog } from "../import/litellm/spend-log.ts";
import { type Live, readLive } from "../import/live.ts";
import type { Plan } from "../import/plan.ts";
import { runImport } from "../import/run.ts";
import { adminApi } from "./admin-api.ts";
import { parseCount } from "./options.ts";
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

  compare litellm   compares LiteLLM's spend log with the ledger, request by request, and explains each difference
    --dump <file>       its database, as above
    --from <time>       2027-01-31, or 2027-01-31T12:00:00Z
    --until <time>      default: now
    --account <id>      as above
    --within <s>        maximum difference between the starts of a request that has no common id; default: 30
    --all               also lists the requests that are equal
                        Exits with 2 if a request differs by more than rounding

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
  from: text,
  until: text,
  within: text,
  all: flag,
  help: { ...flag, short: "h" },
} as const;

const usualWithinMs = 30_000;

/** The spend logs of other gateways. */
const spendLogs: Readonly<Record<string, typeof readSpendLog>> = { litellm: readSpendLog };

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

/** A time in an option, as Unix milliseconds. @throws {UserError} */
function timeOf(name: string, given: string): number {
  const at = /^\d{4}-\d{2}-\d{2}/.test(given) ? Date.parse(given) : Number.NaN;
  if (Number.isNaN(at))
    throw new UserError(`--${name} ${given} is not a time such as 2027-01-31 or 2027-01-31T12:00:00Z.`);
  return at;
}

/** Compares a spend log with the ledger. @returns the exit code */
async function compareWith(gateway: string | undefined, values: Values): Promise<number> {
  const readLog = gateway !== undefined && Object.hasOwn(spendLogs, gateway) ? spendLogs[gateway] : undefined;
  if (readLog === undefined) throw new UserError(`Unknown gateway "${gateway ?? ""}".\n\n${help}`);
  const { dump, from, until, within } = values;
  if (dump === undefined) throw new UserError("--dump is missing.");
  if (from === undefined) throw new UserError("--from is missing.");
  const period = { fromMs: timeOf("from", from), untilMs: until === undefined ? Date.now() : timeOf("until", until) };
  if (period.untilMs <= period.fromMs) throw new UserError("--until must be after --from.");
  const target = await readTarget();
  const api = adminApi(target);
  const account = accountIn(target, values.account);
  const [start, end] = [period.fromMs, period.untilMs].map((ms) => new Date(ms).toISOString()) as [string, string];
  const ours = await readLedger(api, { account, from: start, until: end });
  const theirs = await readLog(await openDump(dump), await readLive(api), period);
  const withinMs = within === undefined ? usualWithinMs : Number(parseCount("within", within)) * 1_000;
  const rules = { prices: await readPrices(api), withinMs, roundingNanoUsd: 1n };
  const rows = compare(match(ours, theirs, withinMs), rules);
  report(rows, values.all ?? false);
  return rows.some(({ parts }) => parts.some(({ cause }) => cause !== "rounding")) ? 2 : 0;
}

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
  const [gateway, compared] = positionals;
  if (values.help || gateway === undefined) {
    print(help.trimEnd());
    return 0;
  }
  if (gateway === "compare") return await compareWith(compared, values);
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
