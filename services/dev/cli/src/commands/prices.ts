// npm run prices: compares the catalogue with public tables of prices, and accepts changes.
import { hostname, userInfo } from "node:os";
import { parseArgs } from "node:util";
import { reasonOf } from "@uag/catalog/prices/accept";
import { compareModel, type PricedModel } from "@uag/catalog/prices/compare";
import { propose } from "@uag/catalog/prices/propose";
import { type PriceSource, quoteOf, rowOf, usdDecimal } from "@uag/catalog/prices/quote";
import type { PriceVersionRow } from "@uag/catalog/types";
import { nanoUsdOf } from "@uag/contract/requests/usd";
import { schema } from "@uag/local/config";
import { resolveDataDir } from "@uag/local/data-dir";
import { readRun } from "@uag/local/run-file";
import { fail, print, UserError } from "@uag/local/terminal/step";
import { readConfig } from "@uag/runtime/config";
import { acceptedInFleet } from "../prices/accepted-in-fleet.ts";
import { addVersion, readModels, readVersions } from "../prices/catalog-file.ts";
import { lastMonth, type UnitsByModel } from "../prices/last-month.ts";
import { changeText, diffHead, diffRows } from "../prices/show.ts";
import { fetchedSources, fetchSource, sourceNames } from "../prices/sources.ts";
import { tableOf } from "../prices/table-of.ts";
import { adminApi } from "./admin-api.ts";
import { table } from "./table.ts";

const help = `npm run prices -- <command> [options]

Compares the catalogue's prices with two public price tables. A change applies only after a person has accepted it.

  fetch             downloads both price tables into DATA_DIR; a running fleet's console shows them
    --litellm <from>       a version of the PyPI package, or file:<path>; default: the latest version
    --genai-prices <from>  likewise
  diff              lists our price, both tables' prices, the change, last month's cost at the new price (with a running
                    fleet) and the vendor's page
    --model <id>      only this model
    --all             includes prices that agree or are in no table
  accept <model>    adds a version of the model's price, which services apply within seconds
    --from <table>    the table to use if the tables disagree or only one has a price; requires --confirm
    --set <price>     a price from the vendor's page, such as output_tokens=2.5; may be repeated; requires --confirm
    --effective-from <time>  2027-01-31T00:00:00Z; default: now
    --by <name>       the reviewer; default: this user
    --confirm         required for prices that double or halve, and for --from and --set
  list              lists the accepted versions
`;

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
const options = {
  litellm: text,
  "genai-prices": text,
  model: text,
  all: flag,
  from: text,
  set: { ...text, multiple: true },
  "effective-from": text,
  by: text,
  confirm: flag,
  help: { ...flag, short: "h" },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof options; allowPositionals: true }>>["values"];

const dataDir = (): string => resolveDataDir(readConfig(schema).DATA_DIR);

/** Reads both tables; a running fleet gets them too, for the console. */
async function fetchAll(values: Values): Promise<void> {
  const run = await readRun(dataDir()).catch(() => undefined);
  const models = await readModels(await acceptedInFleet(dataDir()));
  const sources: PriceSource[] = [];
  for (const name of sourceNames) sources.push(await fetchSource(dataDir(), name, values[name]));
  for (const source of sources) {
    if (run !== undefined) await adminApi(run).call("POST", "/prices/tables", tableOf(source, { sources, models }));
    print(`${source.name}: ${source.origin}`);
  }
}

/** Undefined if no fleet runs. */
async function usedLastMonth(): Promise<UnitsByModel | undefined> {
  const run = await readRun(dataDir()).catch(() => undefined);
  return run && (await lastMonth(run));
}

function modelNamed(models: readonly PricedModel[], id: string): PricedModel {
  const model = models.find((each) => each.id === id);
  if (model === undefined) throw new UserError(`The catalogue does not contain the model ${id}.`);
  return model;
}

async function diff(values: Values): Promise<void> {
  const sources = await fetchedSources(dataDir());
  const all = await readModels(await acceptedInFleet(dataDir()));
  const models = values.model === undefined ? all : [modelNamed(all, values.model)];
  const used = await usedLastMonth();
  const found = models.map((model) => compareModel(model, sources));
  const rows = found.flatMap((each) => diffRows(each, used, values.all ?? false));
  print(`Compared with ${sources.map(({ origin }) => origin).join(" and ")}; USD per million units, or per unit.`);
  if (rows.length > 0) print(table([diffHead, ...rows]));
  const named = new Set(rows.map(([model]) => model));
  for (const { model, link } of found) if (link !== undefined && named.has(model)) print(`${model}: ${link}`);
  const covered = found.filter((each) => each.sources.length > 0).length;
  print(`${rows.length} prices to review; ${covered} of ${found.length} models are in at least one table.`);
}

function changesSet(texts: readonly string[]): Map<string, bigint> {
  return new Map(
    texts.map((each) => {
      const [, key = "", usd = ""] = /^(.{1,80})=(\d[\d.]*)$/.exec(each) ?? [];
      const nano = nanoUsdOf(usd);
      if (nano === undefined) throw new UserError(`--set ${each} is not a price such as output_tokens=2.5.`);
      return [key, nano] as const;
    }),
  );
}

/** The table that `--from` names. */
function chosenTable({ from }: Values, sources: readonly PriceSource[]): PriceSource | undefined {
  const chosen = sources.find(({ name }) => name === from);
  if (from !== undefined && chosen === undefined)
    throw new UserError(`--from is ${sourceNames.join(" or ")}, not ${from}.`);
  return chosen;
}

function effectiveFrom(given: string | undefined): string {
  if (given === undefined) return new Date().toISOString();
  const ms = Date.parse(given);
  if (Number.isNaN(ms) || !given.endsWith("Z"))
    throw new UserError(`--effective-from ${given} is not a time such as 2027-01-31T00:00:00Z.`);
  if (ms < Date.now()) throw new UserError("--effective-from is in the past, but past bills keep their price.");
  return new Date(ms).toISOString();
}

async function accept(id: string, values: Values): Promise<void> {
  const sources = await fetchedSources(dataDir());
  const model = modelNamed(await readModels(await acceptedInFleet(dataDir())), id);
  const found = compareModel(model, sources);
  const ours = quoteOf(model.price);
  const table = chosenTable(values, sources);
  const { set = [] } = values;
  const { changes, looks } = propose(ours, found, { table: table?.name, set: changesSet(set) });
  if (changes.size === 0)
    throw new UserError(`Nothing to accept for ${id}. If the price lists disagree, choose one with --from.`);
  const next = new Map([...ours, ...changes]);
  for (const [key, price] of changes) {
    const before = ours.get(key);
    print(
      `${key}: ${before === undefined ? "none" : usdDecimal(before)} -> ${usdDecimal(price)} USD (${changeText(before, price)} %)`,
    );
  }
  if (looks.length > 0 && !values.confirm)
    throw new UserError(
      `${looks.join("\n")}\nLook at the vendor's page${found.link === undefined ? "" : ` (${found.link})`}, then repeat it with --confirm.`,
    );
  const by = values.by ?? `${userInfo().username}@${hostname()}`;
  const reason = reasonOf(table === undefined ? sources : [table], found.link, set);
  const price = rowOf(next) as PriceVersionRow["price"];
  const row = { model: id, effective_from: effectiveFrom(values["effective-from"]), accepted_by: by, reason, price };
  await addVersion(row);
  print(`Accepted: in force from ${row.effective_from}.`);
}

async function list(): Promise<void> {
  const rows = (await readVersions(await acceptedInFleet(dataDir()))).map(
    ({ model, effective_from: from, accepted_by: by, reason }) => [from, model, by, reason],
  );
  print(rows.length === 0 ? "No price was accepted yet." : table([["FROM", "MODEL", "BY", "REASON"], ...rows]));
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [command, model] = positionals;
  if (values.help || command === undefined) process.stdout.write(help);
  else if (command === "fetch") await fetchAll(values);
  else if (command === "diff") await diff(values);
  else if (command === "list") await list();
  else if (command === "accept" && model !== undefined) await accept(model, values);
  else if (command === "accept") throw new UserError("The model is missing: npm run prices -- accept <model>");
  else throw new UserError(`Unknown command "${command}".\n\n${help}`);
}

await main().catch(fail);
