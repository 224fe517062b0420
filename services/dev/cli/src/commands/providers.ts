// npm run providers: changes the running fleet's providers and their API keys.
import { ownModel, providerTemplate, providerTest } from "@uag/contract/responses/admin-providers";
import { fail, print, UserError } from "@uag/local/terminal/step";
import { boundedText } from "@uag/runtime/http/bounded-text";
import { z } from "zod";
import { type Call, runAdminCommand } from "./admin-command.ts";
import { table } from "./table.ts";

const help = `npm run providers -- <command> [options]

  list                  lists the providers, their states and the keys in use
  templates             lists what a new provider may start from
  add <provider>        adds a provider with the key read from standard input
    --template <name>     a known provider, openai-compatible or anthropic-compatible; default: the provider's id
    --base-url <url>      required where the template has none
    --no-key              it is called without a key
    --disabled            it gets no requests until it is enabled
  delete <provider>     deletes an added provider and the models that only it serves
  models <provider>     lists the models that the provider itself offers, with their prices where they are known
  keys <provider>       lists the keys that were added to a provider
  add-key <provider>    adds the key read from standard input; the next requests use it
    --name <name>         a name for people
    --base-url <url>      also calls the provider there
  rotate <provider>     adds the key read from standard input, tests it, and then disables the earlier ones;
                        a key that fails the test is deleted again
    --name <name>         a name for people
  delete-key <provider> --key <id>
  test <provider>       lists its models and calls the cheapest one, and shows what fails
    --key <id>            a key that is not in use
    --model <id>          a model of the catalogue, in place of the cheapest
  enable <provider>     with --key <id> a key, otherwise the provider
  disable <provider>    the same; requests in progress and video tasks are completed

The key of add, add-key and rotate is never an argument, which every user of the machine can see. In place of standard
input:
    --from-env <name>     the variable of this shell that has it
    --variable <name>     the services' variable that has it (PROVIDER_SECRET_...), which is not stored
`;

/** A key has at most 4,096 characters. */
const maxKeyBytes = 8_192;

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
const options = {
  name: text,
  "base-url": text,
  variable: text,
  "from-env": text,
  template: text,
  "no-key": flag,
  disabled: flag,
  key: text,
  model: text,
  help: { ...flag, short: "h" },
} as const;

type ProviderCall = Call<typeof options> & { readonly id: string };

const keySchema = z.object({
  id: z.string(),
  name: z.string(),
  hint: z.string().nullable(),
  variable: z.string().nullable(),
  enabled: z.boolean(),
  revision: z.int(),
  created_at: z.string(),
});
const providerSchema = z.object({
  id: z.string(),
  base_url: z.string(),
  state: z.string(),
  reason: z.string().nullable(),
  revision: z.int(),
  models: z.array(z.string()),
  credentials: z.array(keySchema),
});

const testSchema = providerTest.pick({ passed: true, simulated: true, steps: true, call: true });

const hintOf = ({ hint, variable }: z.infer<typeof keySchema>): string => hint ?? variable ?? "";
const read = async ({ api, id }: ProviderCall) => providerSchema.parse(await api.call("GET", `/providers/${id}`));

async function list({ api }: Call<typeof options>): Promise<void> {
  const rows = [["PROVIDER", "STATE", "KEY", "MODELS", "BASE URL", "REASON"]];
  for await (const row of api.rows("/providers", { limit: undefined })) {
    const { id, state, credentials, models, base_url: baseUrl, reason } = providerSchema.parse(row);
    const used = credentials.findLast(({ enabled }) => enabled);
    rows.push([id, state, used === undefined ? "" : hintOf(used), String(models.length), baseUrl, reason ?? ""]);
  }
  print(table(rows));
}

async function keys(call: ProviderCall): Promise<void> {
  const rows = [["ID", "KEY", "NAME", "ENABLED", "CREATED"]];
  for (const key of (await read(call)).credentials)
    rows.push([key.id, hintOf(key), key.name, key.enabled ? "yes" : "no", key.created_at]);
  print(table(rows));
}

/** Read from standard input, because every user of the machine sees a command's arguments. */
async function keyFromInput(): Promise<string> {
  if (process.stdin.isTTY) print("Paste the API key, then press Enter and Ctrl+D:");
  const key = (await boundedText(process.stdin, maxKeyBytes)).trim();
  if (key === "") throw new UserError("No API key was given. Write it to the command's standard input.");
  return key;
}

/** Where the key is, as a request has it. */
async function secretOf({ values }: Pick<ProviderCall, "values">): Promise<object> {
  const { variable, "from-env": source } = values;
  if (variable !== undefined) return { variable };
  if (source === undefined) return { api_key: await keyFromInput() };
  const key = process.env[source];
  if (key === undefined || key === "") throw new UserError(`The variable ${source} of this shell is not set.`);
  return { api_key: key };
}

async function add(call: ProviderCall): Promise<void> {
  const { template = call.id, "base-url": baseUrl, "no-key": keyless, disabled } = call.values;
  const secret = keyless ? {} : await secretOf(call);
  const body = { id: call.id, template, ...secret, ...(baseUrl !== undefined && { base_url: baseUrl }) };
  const made = providerSchema.parse(await call.api.call("POST", "/providers", { ...body, enabled: !disabled }));
  print(`Added ${made.id} at ${made.base_url}. Add its models: npm run providers -- models ${made.id}`);
}

async function templates({ api }: Call<typeof options>): Promise<void> {
  const rows = [["TEMPLATE", "PROTOCOL", "BASE URL"]];
  for await (const row of api.rows("/provider-templates", { limit: undefined })) {
    const { id, protocol, base_url: baseUrl } = providerTemplate.parse(row);
    rows.push([id, protocol, baseUrl]);
  }
  print(table(rows));
}

async function remove({ api, id }: ProviderCall): Promise<void> {
  await api.call("DELETE", `/providers/${id}`);
  print(`${id} was deleted. Its video tasks are completed within a week.`);
}

const usdOf = (price: Record<string, unknown>): string => `${price["input_tokens"]} / ${price["output_tokens"]}`;

/** How a model would be priced: as the catalogue or the tables have it. */
function pricesOf({ like, prices }: z.infer<typeof ownModel>): string {
  const quoted = prices.map(({ table: name, price }) => `${usdOf(price)} (${name})`);
  return [...(like === null ? [] : [`like ${like}`]), ...quoted].join(", ");
}

async function models({ api, id }: ProviderCall): Promise<void> {
  const rows = [["MODEL", "CONTEXT", "MAX OUTPUT", "SERVED AS", "PRICE (USD PER 1M IN / OUT)"]];
  for await (const row of api.rows(`/providers/${id}/models`, { limit: undefined })) {
    const model = ownModel.parse(row);
    const { context_tokens: context, max_output_tokens: output, served_as: served } = model;
    rows.push([model.id, String(context ?? ""), String(output ?? ""), served.join(","), pricesOf(model)]);
  }
  print(table(rows));
}

async function addKey(call: ProviderCall): Promise<void> {
  const { name, "base-url": baseUrl } = call.values;
  const secret = await secretOf(call);
  const address = baseUrl === undefined ? {} : { base_url: baseUrl, revision: (await read(call)).revision };
  const body = { ...secret, ...(name !== undefined && { name }), ...address };
  const added = keySchema.parse(await call.api.call("POST", `/providers/${call.id}/credentials`, body));
  print(`Added ${added.id} (${hintOf(added)}). The next requests use it, beside the other enabled keys.`);
}

/** Adds a key that is not used yet, and uses it in place of the others if it passes a test. */
async function rotate(call: ProviderCall): Promise<void> {
  const { api, id, values } = call;
  const path = `/providers/${id}/credentials`;
  const body = { ...(await secretOf(call)), ...(values.name !== undefined && { name: values.name }), enabled: false };
  const { credentials: earlier } = await read(call);
  const made = keySchema.parse(await api.call("POST", path, body));
  const passed = await showTest(call, { credential_id: made.id });
  if (!passed) {
    await api.call("DELETE", `${path}/${made.id}`);
    throw new UserError("The new key failed the test and was deleted. The earlier keys are still in use.");
  }
  await api.call("PATCH", `${path}/${made.id}`, { revision: made.revision, enabled: true });
  for (const { id: old, revision, enabled } of earlier)
    if (enabled) await api.call("PATCH", `${path}/${old}`, { revision, enabled: false });
  print(`${made.id} (${hintOf(made)}) is in use. The earlier keys are disabled: delete-key deletes them.`);
}

function requiredKey({ values }: ProviderCall): string {
  if (values.key === undefined)
    throw new UserError("The key is missing: --key <id>. npm run providers -- keys <provider> shows the ids.");
  return encodeURIComponent(values.key);
}

async function deleteKey(call: ProviderCall): Promise<void> {
  await call.api.call("DELETE", `/providers/${call.id}/credentials/${requiredKey(call)}`);
  print("The key was deleted.");
}

async function set(call: ProviderCall, enabled: boolean): Promise<void> {
  const { api, id, values } = call;
  const provider = await read(call);
  if (values.key === undefined) await api.call("PATCH", `/providers/${id}`, { revision: provider.revision, enabled });
  else {
    const key = provider.credentials.find((each) => each.id === values.key);
    if (key === undefined) throw new UserError(`${provider.id} has no key ${values.key}.`);
    await api.call("PATCH", `/providers/${id}/credentials/${requiredKey(call)}`, { revision: key.revision, enabled });
  }
  print(`${values.key ?? provider.id} is ${enabled ? "enabled" : "disabled"}.`);
}

const marks = { passed: "ok", failed: "FAILED", skipped: "-" } as const;

/** @returns whether it passed */
async function showTest({ api, id }: ProviderCall, body: object): Promise<boolean> {
  const { passed, simulated, steps, call } = testSchema.parse(await api.call("POST", `/providers/${id}/test`, body));
  const rows = steps.map(({ step, state, reason, message, status, request_id: requestId, duration_ms: ms }) => [
    step,
    marks[state],
    ms === null ? "" : `${ms} ms`,
    [reason, status && `HTTP ${status}`, requestId, message].filter(Boolean).join(", "),
  ]);
  print(table(rows));
  if (call !== null) print(`${call.model} was called for ${call.estimated ? "at most " : ""}${call.cost_usd} USD.`);
  if (simulated) print("The simulator responded in the provider's place.");
  return passed;
}

async function test(call: ProviderCall): Promise<void> {
  const { key, model } = call.values;
  if (!(await showTest(call, { credential_id: key, model }))) throw new UserError("The test failed.");
}

await runAdminCommand({
  name: "providers",
  help,
  options,
  commands: { list, templates },
  idCommands: {
    add,
    delete: remove,
    models,
    keys,
    "add-key": addKey,
    rotate,
    "delete-key": deleteKey,
    test,
    enable: (call) => set(call, true),
    disable: (call) => set(call, false),
  },
}).catch(fail);
