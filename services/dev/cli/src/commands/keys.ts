// npm run keys: creates, lists, changes, renews and revokes API keys of the running fleet.
import { mayUse } from "@uag/catalog/access";
import { namesOf } from "@uag/catalog/names";
import type { keyFields } from "@uag/contract/key-fields";
import { key as keySchema, newKey } from "@uag/contract/responses/admin";
import { catalogModel } from "@uag/contract/responses/admin-fleet";
import { fail, print, UserError } from "@uag/local/terminal/step";
import type { z } from "zod";
import { type Call, runAdminCommand } from "./admin-command.ts";
import { parseCount } from "./options.ts";
import { table } from "./table.ts";
import { accountIn } from "./target.ts";

const help = `npm run keys -- <command> [options]

  create            creates a key; its secret is printed only once
    --account <id>      default: the account created by npm start
    --name <text>
    --models <a,b>      models that it may use; a final "*" matches any suffix; default: all
    --expires <when>    30d, 12h, or 2027-01-01; default: never
    --rpm <n>           requests per minute
    --tpm <n>           tokens per minute
    --concurrency <n>   concurrent requests
    --budget <usd>      maximum spending per calendar month
    --strategy <name>   how upstreams are chosen: priority, weighted, least_latency or least_cost;
                        default: as set for each model
  list              lists the keys
    --account <id>      only keys of this account
    --name <text>       only keys of this name
    --all               includes revoked keys
  update <id>       changes the given options of create, in all processes within a second;
                    "none" removes a limit or the expiry, and allows all models
  regenerate <id>   replaces the key's secret; the new one is printed only once
    --overlap <s>       seconds for which the old secret stays valid; default: 0
  revoke <id>       revokes a key, in all processes within a second
`;

const text = { type: "string" } as const;
const options = {
  account: text,
  name: text,
  models: text,
  expires: text,
  rpm: text,
  tpm: text,
  concurrency: text,
  budget: text,
  strategy: text,
  overlap: text,
  all: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

type KeyCall = Call<typeof options>;

type Key = z.infer<typeof keySchema>;

/** A limit in the API's format; undefined when not given. */
function limitOf(name: string, given: string | undefined): number | null | undefined {
  return given === undefined || given === "none" ? given && null : Number(parseCount(name, given));
}

const listedModel = catalogModel.pick({ id: true, aliases: true });

/** @throws {UserError} for a model that the catalogue does not have: a key of it alone can call nothing */
async function checkModels({ api, values: { models } }: KeyCall): Promise<void> {
  if (models === undefined || models === "none") return;
  const known: string[] = [];
  for await (const row of api.rows("/models", {})) known.push(...namesOf(listedModel.parse(row)));
  for (const entry of models.split(",").map((model) => model.trim()))
    if (!known.some((model) => mayUse([entry], model)))
      throw new UserError(`No model matches --models ${entry}. The catalogue has: ${known.sort().join(", ")}`);
}

/** The fields of a key that the options set. */
function fieldsOf(values: KeyCall["values"]): Partial<Record<keyof typeof keyFields, unknown>> {
  const { models, expires, budget } = values;
  return {
    key_alias: values.name,
    models: models === "none" ? [] : models?.split(",").map((model) => model.trim()),
    expires: expires === "none" ? null : expires,
    rpm_limit: limitOf("rpm", values.rpm),
    tpm_limit: limitOf("tpm", values.tpm),
    max_parallel_requests: limitOf("concurrency", values.concurrency),
    max_budget: budget === "none" ? null : budget,
    routing_strategy: values.strategy === "none" ? null : values.strategy,
  };
}

/** Only the secret goes to stdout, for use in scripts. */
function printSecret(response: unknown): void {
  const { id, account_id, key, snippets } = newKey.parse(response);
  process.stderr.write(`${id} for ${account_id}. Its secret, which is not shown again:\n`);
  print(key);
  for (const [name, text] of Object.entries(snippets)) process.stderr.write(`\n# ${name}\n${text.trimEnd()}\n`);
}

const minute = (time: string): string => time.slice(0, 16).replace("T", " ");

function stateOf(key: Key): string {
  if (key.revoked_at !== null) return `revoked ${minute(key.revoked_at)}`;
  if (key.expires === null) return "never expires";
  return `${Date.parse(key.expires) <= Date.now() ? "expired" : "expires"} ${minute(key.expires)}`;
}

function limitsOf(key: Key): string {
  const shown = [
    key.rpm_limit === null ? "" : `${key.rpm_limit} rpm`,
    key.tpm_limit === null ? "" : `${key.tpm_limit} tpm`,
    key.max_parallel_requests === null ? "" : `${key.max_parallel_requests} concurrent`,
    key.max_budget === null ? "" : `${key.max_budget} USD a month`,
  ].filter((limit) => limit !== "");
  return shown.join(", ") || "none";
}

const rowOf = (key: Key): string[] => [
  key.id,
  key.hint,
  key.account_id,
  key.key_alias,
  key.models.join(",") || "all",
  limitsOf(key),
  stateOf(key),
];

async function list({ api, values }: KeyCall): Promise<void> {
  const { account, name, all } = values;
  const rows = [["ID", "KEY", "ACCOUNT", "NAME", "MODELS", "LIMITS", "STATE"]];
  const query = { account, alias: name, include_revoked: String(all ?? false) };
  for await (const row of api.rows("/keys", query)) rows.push(rowOf(keySchema.parse(row)));
  print(table(rows));
}

await runAdminCommand({
  name: "keys",
  help,
  options,
  commands: {
    list,
    async create(call) {
      const { api, target, values } = call;
      await checkModels(call);
      const body = { account_id: accountIn(target, values.account), ...fieldsOf(values) };
      printSecret(await api.call("POST", "/keys", body));
    },
  },
  idCommands: {
    async update(call) {
      const { api, id, values } = call;
      await checkModels(call);
      print(table([rowOf(keySchema.parse(await api.call("PATCH", `/keys/${id}`, fieldsOf(values))))]));
    },
    async regenerate({ api, id, values }) {
      const overlap = Number(parseCount("overlap", values.overlap));
      printSecret(await api.call("POST", `/keys/${id}/regenerate`, { overlap_seconds: overlap }));
    },
    async revoke({ api, id }) {
      print(`${keySchema.parse(await api.call("DELETE", `/keys/${id}`)).id} is revoked.`);
    },
  },
}).catch(fail);
