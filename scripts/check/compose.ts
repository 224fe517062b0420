import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { repoRoot as root } from "@uag/local/paths";
import { services, simulator } from "@uag/local/processes";
import { isProviderSetting } from "@uag/local/providers";
import { readConfig } from "@uag/runtime/config";
import { processMemory } from "@uag/untrusted/memory-limit";
import { Ajv } from "ajv";
import { parse } from "yaml";
import type { Check } from "./check.ts";

type Settings = Readonly<Record<string, string>>;

interface ComposeFile {
  readonly "x-settings": Settings;
  readonly services: Readonly<Record<string, { readonly environment?: Settings; readonly mem_limit?: string }>>;
}

const file = "infra/compose.yaml";
const schemaFile = "infra/compose/compose-spec.schema.json";

/** Docker's value of an unset variable. */
const unset = (value: string): string => value.replace(/\$\{\w+:-([^}]{0,200})\}/g, "$1");

/** The content of a secret's file, as created by infra/compose/identity.sh. */
const madeSecret = (name: string): string => (name === "USAGE_MAC_KEYS" ? `chat:${"ab".repeat(32)}` : "ab".repeat(32));

async function schemaProblems(compose: ComposeFile): Promise<string[]> {
  const schema = JSON.parse(await readFile(join(root, schemaFile), "utf8"));
  // Its formats are those of Docker: durations, and ports that may be ranges.
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  const { $schema: _, ...plain } = schema;
  if (ajv.validate(plain, compose)) return [];
  return (ajv.errors ?? []).map(({ instancePath, message }) => `${file}${instancePath} ${message}`);
}

/** Checks that the service accepts its settings and knows each of its own. */
async function settingsProblems(compose: ComposeFile, name: string, entry: string): Promise<string[]> {
  const given = compose.services[name]?.environment;
  if (given === undefined) return [`${file} does not run ${name}`];
  const { schema } = await import(join(root, entry.replace("main.ts", "config.ts")));
  const env: Record<string, string> = {};
  const problems: string[] = [];
  for (const [setting, value] of Object.entries(given)) {
    const secret = setting.replace(/_FILE$/, "");
    const isSecret = secret !== setting && secret in schema.shape;
    env[isSecret ? secret : setting] = isSecret ? madeSecret(secret) : unset(String(value));
    const isKnown =
      isSecret || setting in schema.shape || setting in compose["x-settings"] || isProviderSetting(setting);
    if (!isKnown) problems.push(`${file}: ${name} has no setting ${setting}`);
  }
  try {
    readConfig(schema, env);
  } catch (error) {
    problems.push(`${file}: ${name}: ${String(error)}`);
  }
  return problems;
}

/** Checks that every service has the memory limit of its chart. */
function memoryProblems(compose: ComposeFile): string[] {
  return Object.entries(processMemory).flatMap(([name, { limitMiB }]) => {
    const limit = compose.services[name]?.mem_limit;
    return limit === `${limitMiB}m` ? [] : [`${file}: the mem_limit of ${name} is ${limit}, not ${limitMiB}m`];
  });
}

/** Checks that the compose file is valid, runs every service within its memory, and has valid settings. */
export const compose: Check = {
  name: "compose file",
  async run() {
    const content = parse(await readFile(join(root, file), "utf8"), { merge: true }) as ComposeFile;
    const problems = await schemaProblems(content);
    for (const { name, entry } of services) problems.push(...(await settingsProblems(content, name, entry)));
    problems.push(...memoryProblems(content));
    if (content.services[simulator.name] === undefined) problems.push(`${file} does not run ${simulator.name}`);
    return problems;
  },
};
