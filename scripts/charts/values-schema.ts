import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { repoRoot } from "@uag/local/paths";
import { z } from "zod";
import { images } from "../image/images.ts";

type Schema = Record<string, unknown>;

const text = { type: "string" };
const anything = { type: "object" };
const quantities = { type: "object", additionalProperties: { type: ["string", "number"] } };
const computeResources = {
  type: "object",
  properties: { requests: quantities, limits: quantities, claims: { type: "array" } },
  additionalProperties: false,
};
const share = { type: ["integer", "string"], pattern: "^[0-9]+%$", minimum: 0 };
const listOfObjects = { type: "array", items: anything };
const annotations = { type: "object", additionalProperties: { type: "string" } };
const accessModes = { type: "array", items: { enum: ["ReadWriteOnce", "ReadWriteOncePod"] }, minItems: 1 };
const listOfText = { type: "array", items: text };
/** An object with these fields only. */
const closed = (properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const listOf = (items: Schema): Schema => ({ type: "array", items });
const flag = { type: "boolean" };
const folderUrl = { type: "string", pattern: "^(https?://.+)?$" };
const port = { type: ["integer", "string"] };

/** Parts of Kubernetes' own objects, as its API documents them. */
const keyRef = closed({ name: text, key: text, optional: flag }, ["name", "key"]);
const envVariable = closed(
  {
    name: text,
    value: text,
    valueFrom: closed({
      fieldRef: closed({ apiVersion: text, fieldPath: text }, ["fieldPath"]),
      resourceFieldRef: closed({ containerName: text, resource: text, divisor: port }, ["resource"]),
      configMapKeyRef: keyRef,
      secretKeyRef: keyRef,
    }),
  },
  ["name"],
);
const selector = closed({
  matchLabels: { type: "object", additionalProperties: text },
  matchExpressions: listOf(closed({ key: text, operator: text, values: listOf(text) }, ["key", "operator"])),
});
const peer = {
  ...closed({
    podSelector: selector,
    namespaceSelector: selector,
    ipBlock: closed({ cidr: text, except: listOf(text) }, ["cidr"]),
  }),
  minProperties: 1,
};
const policyPort = closed({ port, endPort: { type: "integer" }, protocol: { enum: ["TCP", "UDP", "SCTP"] } });
const egressRule = closed({ ports: listOf(policyPort), to: listOf(peer) });
const ingressRule = closed({ ports: listOf(policyPort), from: listOf(peer) });

const settingName = { type: "array", items: { type: "string", pattern: "^[A-Z][A-Z0-9_]*$" } };

/** The parts of a value's schema that its default does not determine. */
const reported: Readonly<Record<string, Schema>> = {
  service: anything,
  // Helm adds the values of the whole fleet to those of the library chart.
  common: anything,
  resources: computeResources,
  "companion.resources": computeResources,
  extraEnv: listOf(envVariable),
  "networkPolicy.extraIngress": listOf(ingressRule),
  "networkPolicy.extraEgress": listOf(egressRule),
  "networkPolicy.monitoring": listOf(peer),
  "nats.to": listOf(peer),
  "mongodb.to": listOf(peer),
  "mail.to": listOf(peer),
  extraVolumes: { type: "array", items: { type: "object", required: ["name"] } },
  extraVolumeMounts: { type: "array", items: { type: "object", required: ["name", "mountPath"] } },
  tolerations: listOfObjects,
  imagePullSecrets: {
    type: "array",
    items: { type: "object", properties: { name: { type: "string" } }, additionalProperties: false },
  },
  podAnnotations: annotations,
  podLabels: annotations,
  nodeSelector: annotations,
  serviceAnnotations: annotations,
  "serviceAccount.annotations": annotations,
  "serviceMonitor.labels": annotations,
  "prometheusRule.labels": annotations,
  "journal.accessModes": accessModes,
  "storage.accessModes": accessModes,
  "dashboards.labels": annotations,
  "clusterAlerts.labels": annotations,
  affinity: {
    type: "object",
    properties: { nodeAffinity: anything, podAffinity: anything, podAntiAffinity: anything },
    additionalProperties: false,
  },
  "rollout.maxUnavailable": share,
  "rollout.maxSurge": share,
  secretKeys: settingName,
  extraSecretKeys: settingName,
  topologySpreadKeys: listOfText,
  "podDisruptionBudget.maxUnavailable": share,
  runbookUrl: folderUrl,
  "prometheusRule.runbookUrl": folderUrl,
  "image.tag": { type: "string", pattern: "^[\\w.-]*$" },
  "ingress.annotations": { type: "object", additionalProperties: text },
};

/** The JSON Schema derived from default values: the same types, and no other properties. */
function schemaOf(value: unknown, path = ""): Schema {
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

/** Variables of the catalogue that are no secrets, such as `OPENAI_PROJECT`. */
async function catalogSettings(): Promise<string[]> {
  const catalog = await readFile(join(repoRoot, "infra/config/catalog.yaml"), "utf8");
  const names = [...catalog.matchAll(/\$\{(\w+)/g)].map(([, name = ""]) => name);
  return [...new Set(names)].filter((name) => !name.endsWith("_API_KEY"));
}

/** The settings of a service from its own schema, and the providers' addresses and other settings. */
export async function settingsSchema(service: string): Promise<Schema> {
  const entry = images.find((image) => image.service === service)?.entries["main"];
  if (entry === undefined) throw new Error(`no image of ${service}`);
  const { schema } = (await import(join(repoRoot, dirname(entry), "config.ts"))) as { schema: z.ZodObject };
  const whole = z.toJSONSchema(schema, { io: "output", unrepresentable: "any" });
  const properties: Record<string, unknown> = {};
  for (const name of await catalogSettings()) properties[name] = text;
  for (const [name, property] of Object.entries(whole.properties ?? {})) {
    const { type, minimum, maximum, enum: choice } = property as Schema;
    const isList = type === "array" || type === "object";
    properties[name] = isList ? text : Object.fromEntries(Object.entries({ type, minimum, maximum, enum: choice }));
  }
  return {
    type: "object",
    properties,
    patternProperties: { "^[A-Z][A-Z0-9_]*_BASE_URL$": text },
    additionalProperties: false,
  };
}

/**
 * The whole schema of a chart's values, as Helm reads it.
 * @param global the defaults of the values that all charts of a fleet share
 */
export function chartSchema(defaults: object, global: object, extra: Readonly<Record<string, Schema>>): string {
  const { properties, ...rest } = schemaOf(defaults) as { properties: Record<string, Schema> };
  const beside = { global: schemaOf(global), common: anything, enabled: { type: "boolean" } };
  const schema = {
    $schema: "https://json-schema.org/draft-07/schema#",
    ...rest,
    properties: { ...beside, ...properties, ...extra },
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}
