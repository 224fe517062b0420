import { dirname, join } from "node:path";
import { repoRoot } from "@uag/local/paths";
import { services } from "@uag/local/processes";
import { z } from "zod";

type Schema = Record<string, unknown>;

const text = { type: "string" };
const anything = { type: "object" };
const listOfText = { type: "array", items: text };
const settingName = { type: "array", items: { type: "string", pattern: "^[A-Z][A-Z0-9_]*$" } };

/** The parts of a value's schema that its default does not determine. */
const reported: Readonly<Record<string, Schema>> = {
  service: anything,
  resources: anything,
  secretKeys: settingName,
  extraSecretKeys: settingName,
  topologySpreadKeys: listOfText,
  "podDisruptionBudget.maxUnavailable": { type: ["integer", "string"] },
  "image.tag": { type: "string", pattern: "^[\\w.-]*$" },
  "ingress.annotations": { type: "object", additionalProperties: text },
};

/** The JSON Schema derived from default values: the same types, and no other properties. */
export function schemaOf(value: unknown, path = ""): Schema {
  const known = reported[path];
  if (known !== undefined) return known;
  if (Array.isArray(value)) return { type: "array" };
  if (typeof value === "number") return { type: "integer", minimum: 0 };
  if (typeof value !== "object" || value === null) return { type: typeof value };
  const entries = Object.entries(value);
  if (entries.length === 0) return anything;
  const within = (name: string): string => (path === "" ? name : `${path}.${name}`);
  const properties = Object.fromEntries(entries.map(([name, child]) => [name, schemaOf(child, within(name))]));
  return { type: "object", properties, additionalProperties: false };
}

/** The settings of a service from its own schema, and the providers' addresses. */
export async function settingsSchema(service: string): Promise<Schema> {
  const row = services.find(({ name }) => name === service);
  if (row === undefined) throw new Error(`unknown service ${service}`);
  const { schema } = (await import(join(repoRoot, dirname(row.entry), "config.ts"))) as { schema: z.ZodObject };
  const whole = z.toJSONSchema(schema, { io: "output", unrepresentable: "any" });
  const properties: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(whole.properties ?? {})) {
    const { type, minimum, maximum, enum: choice } = property as Schema;
    const isList = type === "array" || type === "object";
    properties[name] = isList ? text : Object.fromEntries(Object.entries({ type, minimum, maximum, enum: choice }));
  }
  return {
    type: "object",
    properties,
    patternProperties: { "^[A-Z0-9]+_BASE_URL$": text },
    additionalProperties: false,
  };
}

/** The whole schema of a chart's values, as Helm reads it. */
export function chartSchema(defaults: object, extra: Readonly<Record<string, Schema>>): string {
  const { properties, ...rest } = schemaOf(defaults) as { properties: Record<string, Schema> };
  const beside = { global: anything, common: anything, enabled: { type: "boolean" } };
  const schema = {
    $schema: "https://json-schema.org/draft-07/schema#",
    ...rest,
    properties: { ...beside, ...properties, ...extra },
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}
