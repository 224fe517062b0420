// npm run models: adds, lists and changes the models of the running fleet's catalogue.
import { catalogModel } from "@uag/contract/responses/admin-fleet";
import { fail, print, UserError } from "@uag/local/terminal/step";
import type { z } from "zod";
import { type Call, runAdminCommand } from "./admin-command.ts";
import { parseCount } from "./options.ts";
import { table } from "./table.ts";

const help = `npm run models -- <command> [options]

  list              lists the models of the catalogue
    --provider <id>     only those that this provider serves
  add <model>       adds a model; requests for it are served within a second
    --provider <id>     the provider that serves it
    --upstream <name>   the provider's name for it; default: the model's id
    --like <model>      a model of the catalogue: limits, operations and price are as there, unless given
    --operations <a,b>  default: chat.completions,messages,responses
    --context <n>       context, in tokens
    --max-output <n>    longest output, in tokens
    --alias <name>      another name for it in requests; may be repeated; "none" removes all
    --price <unit=usd>  such as input_tokens=0.6: USD per million tokens; may be repeated
    --disabled          it gets no requests until it is enabled
  update <model>    changes the given options of add, except provider, upstream and like, within a second;
                    a price becomes a version of its own, and "none" makes a limit as in the catalogue's file
  enable <model>    it gets requests again
  disable <model>   it gets no new requests
  delete <model>    deletes an added model; requests in progress are completed and billed

npm run providers -- models <provider> lists what a provider offers.
`;

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
const options = {
  provider: text,
  upstream: text,
  like: text,
  operations: text,
  context: text,
  "max-output": text,
  alias: { ...text, multiple: true },
  price: { ...text, multiple: true },
  disabled: flag,
  help: { ...flag, short: "h" },
} as const;

type Values = Call<typeof options>["values"];
type ModelCall = Call<typeof options> & { readonly id: string };

const generating = "chat.completions,messages,responses";

const modelSchema = catalogModel.pick({
  id: true,
  enabled: true,
  source: true,
  revision: true,
  providers: true,
  aliases: true,
  context_tokens: true,
  max_output_tokens: true,
});

type Model = z.infer<typeof modelSchema>;

/** @throws {UserError} for a price that is not a unit and a number of USD */
function priceOf(pairs: readonly string[]): object {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, unit, usd] = /^([a-z0-9_]{1,64})=(\d{1,6}(?:\.\d{1,9})?)$/.exec(pair) ?? [];
      if (unit === undefined) throw new UserError(`--price ${pair} is not a unit and USD, such as input_tokens=0.6`);
      return [unit, Number(usd)];
    }),
  );
}

const limitOf = (name: string, given: string): number | null =>
  given === "none" ? null : Number(parseCount(name, given));

/** The fields that add and update have in common. */
function fieldsOf({ operations, context, "max-output": output, alias, price }: Values): object {
  return {
    ...(alias !== undefined && { aliases: alias.filter((name) => name !== "none") }),
    ...(operations !== undefined && { operations: operations.split(",") }),
    ...(context !== undefined && { context_tokens: limitOf("context", context) }),
    ...(output !== undefined && { max_output_tokens: limitOf("max-output", output) }),
    ...(price !== undefined && { price: priceOf(price) }),
  };
}

function rowOf({ id, enabled, source, providers, aliases = [], ...limits }: Model): string[] {
  const { context_tokens: context, max_output_tokens: output } = limits;
  const names = providers.map(({ provider }) => provider).join(",");
  const counts = [context, output].map((count) => String(count ?? ""));
  return [id, enabled ? "enabled" : "disabled", source, ...counts, names, aliases.join(",")];
}

async function list({ api, values }: Call<typeof options>): Promise<void> {
  const rows = [["MODEL", "STATE", "SOURCE", "CONTEXT", "MAX OUTPUT", "PROVIDERS", "ALIASES"]];
  for await (const row of api.rows("/models")) {
    const model = modelSchema.parse(row);
    const served = model.providers.some(({ provider }) => provider === values.provider);
    if (values.provider === undefined || served) rows.push(rowOf(model));
  }
  print(table(rows));
}

async function add({ api, id, values }: ModelCall): Promise<void> {
  const { provider, upstream, like, operations = like === undefined ? generating : undefined, disabled } = values;
  if (provider === undefined) throw new UserError("The provider is missing: --provider <id>.");
  const name = decodeURIComponent(id);
  const own = operations === undefined ? values : { ...values, operations };
  const body = {
    id: name,
    upstreams: [{ provider, model: upstream ?? name }],
    ...(like !== undefined && { like }),
    ...fieldsOf(own),
    enabled: !disabled,
  };
  print(`Added ${modelSchema.parse(await api.call("POST", "/models", body)).id}.`);
}

async function change(call: ModelCall, fields: object): Promise<void> {
  const { id, revision } = modelSchema.parse(await call.api.call("GET", `/models/${call.id}`));
  await call.api.call("PATCH", `/models/${call.id}`, { revision, ...fields });
  print(`${id} was changed.`);
}

await runAdminCommand({
  name: "models",
  help,
  options,
  commands: { list },
  idCommands: {
    add,
    update: (call) => change(call, fieldsOf(call.values)),
    enable: (call) => change(call, { enabled: true }),
    disable: (call) => change(call, { enabled: false }),
    async delete({ api, id }) {
      await api.call("DELETE", `/models/${id}`);
      print(`${decodeURIComponent(id)} was deleted.`);
    },
  },
}).catch(fail);
