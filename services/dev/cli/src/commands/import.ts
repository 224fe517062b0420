// npm run import: brings keys, budgets, providers and models of another gateway to the running fleet.
import { parseArgs } from "node:util";
import { fail, print, UserError } from "@uag/local/terminal/step";
import { runComparison } from "../import/compare/run.ts";
import { readLive } from "../import/live.ts";
import { runImport } from "../import/run.ts";
import type { Source } from "../import/source.ts";
import { sources } from "../import/sources.ts";
import { adminApi } from "./admin-api.ts";
import { parseCount } from "./options.ts";
import { accountIn, readTarget } from "./target.ts";

const nameWidth = 18;
const sourcesHelp = Object.entries(sources)
  .map(([name, { help }]) => `  ${name.padEnd(nameWidth)}${help}`)
  .join("\n\n");

const help = `npm run import -- <gateway> [options]

${sourcesHelp}

  with each gateway:
    --plan              only lists the changes; the default
    --apply             makes them; each is audited. What this gateway has already is not changed, so an import can be
                        repeated
    --mapping <file>    the file to which the new keys are appended; only its owner may read it
    --account <id>      the account of keys and budgets without one of their own; default: the account created by
                        npm start

  compare <gateway>   compares its spend log with the ledger, request by request, and explains each difference
    --dump              as above
    --from <time>       2027-01-31, or 2027-01-31T12:00:00Z
    --until <time>      default: now
    --account <id>      only requests of this account; default: the accounts of the keys that were imported from it
    --within <s>        maximum difference between the starts of a request that has no common id; default: 30
    --all               also lists what is equal
                        Exits with 2 if anything differs by more than rounding

Keys get new secrets, because a gateway that accepts another one's keys is as weak as that one's copies of them.
No secret is printed.
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

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

/** A time in an option, as Unix milliseconds. @throws {UserError} */
function timeOf(name: string, given: string): number {
  const at = /^\d{4}-\d{2}-\d{2}/.test(given) ? Date.parse(given) : Number.NaN;
  if (Number.isNaN(at))
    throw new UserError(`--${name} ${given} is not a time such as 2027-01-31 or 2027-01-31T12:00:00Z.`);
  return at;
}

/** @throws {UserError} for a name that is none of a gateway */
function sourceNamed(name: string): Source {
  const source = Object.hasOwn(sources, name) ? sources[name] : undefined;
  if (source === undefined) throw new UserError(`Unknown gateway "${name}".\n\n${help}`);
  return source;
}

/** Compares a spend log with the ledger. @returns the exit code */
async function compareWith(name: string, values: Values): Promise<number> {
  const source = sourceNamed(name);
  const { from, until, within, account } = values;
  if (from === undefined) throw new UserError("--from is missing.");
  const period = { fromMs: timeOf("from", from), untilMs: until === undefined ? Date.now() : timeOf("until", until) };
  return await runComparison({
    api: adminApi(await readTarget()),
    source,
    files: values,
    accounts: account === undefined ? undefined : [account],
    name,
    period,
    withinMs: within === undefined ? usualWithinMs : Number(parseCount("within", within)) * 1_000,
    all: values.all ?? false,
  });
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const [gateway, compared] = positionals;
  if (values.help || gateway === undefined) {
    print(help.trimEnd());
    return 0;
  }
  if (gateway === "compare") return await compareWith(compared ?? "", values);
  const source = sourceNamed(gateway);
  if (values.plan && values.apply) throw new UserError("Set --plan or --apply, not both.");
  const target = await readTarget();
  const api = adminApi(target);
  const live = await readLive(api);
  const plan = await source.plan(values, live);
  const accountOf = (own: string | undefined) => own ?? accountIn(target, values.account);
  return await runImport(plan, { api, live, accountOf, planOnly: !values.apply, mapping: values.mapping });
}

process.exitCode = (await main().catch(fail)) ?? 1;
