import { readFile } from "node:fs/promises";
import { UserError } from "@uag/local/terminal/step";
import { parse } from "yaml";
import { z } from "zod";
import type { Dump } from "../dump/row.ts";
import type { Note } from "../plan.ts";
import { decrypted } from "./decrypt.ts";
import { tables } from "./tables.ts";

const figure = z.coerce.number().nullish();
/** Settings that may name a variable. */
const settings = {
  api_base: z.string().nullish(),
  api_key: z.string().nullish(),
  tenant_id: z.string().nullish(),
  client_id: z.string().nullish(),
  client_secret: z.string().nullish(),
  aws_access_key_id: z.string().nullish(),
  aws_secret_access_key: z.string().nullish(),
  aws_session_token: z.string().nullish(),
  aws_region_name: z.string().nullish(),
  vertex_project: z.string().nullish(),
  vertex_location: z.string().nullish(),
  /** A service account's key as JSON, or the name of its file. */
  vertex_credentials: z.union([z.string(), z.looseObject({}).transform((key) => JSON.stringify(key))]).nullish(),
};
const params = z.object({
  ...settings,
  model: z.string(),
  weight: figure,
  order: figure,
  input_cost_per_token: figure,
  output_cost_per_token: figure,
  cache_read_input_token_cost: figure,
});
const info = z.object({
  mode: z.string().nullish(),
  base_model: z.string().nullish(),
  max_tokens: figure,
  max_input_tokens: figure,
  max_output_tokens: figure,
  input_cost_per_token: figure,
  output_cost_per_token: figure,
  cache_read_input_token_cost: figure,
});

/** One of the upstreams of a name in LiteLLM. */
export interface Deployment {
  /** The name in requests. */
  readonly name: string;
  readonly params: z.output<typeof params>;
  readonly info: z.output<typeof info>;
}

/** What LiteLLM serves, from its configuration file and its database. */
export interface Served {
  readonly deployments: Deployment[];
  /** Other names of names. */
  readonly aliases: Readonly<Record<string, string>>;
  readonly fallbacks: readonly (readonly [string, readonly string[]])[];
  readonly notes: Note[];
}

const fallbackList = z.array(z.record(z.string(), z.array(z.string()))).default([]);
const config = z.looseObject({
  model_list: z
    .array(z.looseObject({ model_name: z.string(), litellm_params: params, model_info: info.default({}) }))
    .nullish(),
  router_settings: z
    .looseObject({
      model_group_alias: z.record(z.string(), z.union([z.string(), z.object({ model: z.string() })])).nullish(),
      fallbacks: fallbackList.nullish(),
    })
    .nullish(),
  litellm_settings: z.looseObject({ fallbacks: fallbackList.nullish() }).nullish(),
});

/** A setting of LiteLLM: `os.environ/NAME` is a variable. */
function resolved(value: string | null | undefined, env: NodeJS.ProcessEnv): string | undefined {
  if (!value) return undefined;
  return value.startsWith("os.environ/") ? env[value.slice("os.environ/".length)] : value;
}

/** A deployment with its variables filled in; notes those that are not set. */
function withVariables(deployment: Deployment, env: NodeJS.ProcessEnv, notes: Note[]): Deployment {
  const { name, params } = deployment;
  const filled = { ...params };
  for (const field of Object.keys(settings) as (keyof typeof settings)[]) {
    filled[field] = resolved(params[field], env);
    if (filled[field] === undefined && params[field])
      notes.push({ what: `${field} of ${name}`, why: `It is ${params[field]}, which is not set in this shell.` });
  }
  return { ...deployment, params: filled };
}

/** What a configuration file has. @throws {UserError} when it is not one of LiteLLM */
export async function readConfigFile(file: string, env: NodeJS.ProcessEnv): Promise<Served> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw new UserError(`${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  });
  const read = config.safeParse(parse(text));
  if (!read.success) throw new UserError(`${file} is not a configuration of LiteLLM:\n${z.prettifyError(read.error)}`);
  const { model_list: list, router_settings: router, litellm_settings: settings } = read.data;
  const notes: Note[] = [];
  const chains = [...(router?.fallbacks ?? []), ...(settings?.fallbacks ?? [])];
  return {
    deployments: (list ?? []).map(({ model_name: name, litellm_params, model_info }) =>
      withVariables({ name, params: litellm_params, info: model_info }, env, notes),
    ),
    aliases: Object.fromEntries(
      Object.entries(router?.model_group_alias ?? {}).map(([alias, to]) => [
        alias,
        typeof to === "string" ? to : to.model,
      ]),
    ),
    fallbacks: chains.flatMap((chain) => Object.entries(chain)),
    notes,
  };
}

/** A row's parameters, decrypted; undefined when one is not readable with the salt key. */
function plainParams(row: Readonly<Record<string, unknown>>, saltKey: string | undefined) {
  const plain: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(row)) {
    if (typeof value !== "string" || !(field in params.shape)) plain[field] = value;
    else {
      const text = saltKey === undefined ? undefined : decrypted(value, saltKey);
      if (text === undefined) return undefined;
      plain[field] = text;
    }
  }
  return params.safeParse(plain).data;
}

/** The models that were added to LiteLLM's database. */
export async function readDeployments(
  dump: Dump,
  env: NodeJS.ProcessEnv,
): Promise<Pick<Served, "deployments" | "notes">> {
  const notes: Note[] = [];
  const deployments: Deployment[] = [];
  const saltKey = env["LITELLM_SALT_KEY"] || env["LITELLM_MASTER_KEY"];
  for (const row of await tables.rows(dump, "ProxyModelTable")) {
    const own = plainParams(row.litellm_params, saltKey);
    const what = `model ${row.model_name}`;
    if (row.blocked) notes.push({ what, why: "It is blocked." });
    else if (own === undefined) {
      const why =
        saltKey === undefined
          ? "Its settings are encrypted. Set LITELLM_SALT_KEY, or LITELLM_MASTER_KEY if LiteLLM has no salt key."
          : "Its settings cannot be decrypted: LITELLM_SALT_KEY is not the key that encrypted them.";
      notes.push({ what, why });
    } else {
      const deployment = { name: row.model_name, params: own, info: info.catch({}).parse(row.model_info) };
      deployments.push(withVariables(deployment, env, notes));
    }
  }
  return { deployments, notes };
}
