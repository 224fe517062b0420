import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { moduleDir } from "./tools.ts";

/** The target version of Kubernetes. */
export const kubeVersion = "1.34.3";

interface Schema {
  [key: string]: unknown;
  properties?: Record<string, Schema>;
}

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

interface Definition extends Schema {
  readonly "x-kubernetes-group-version-kind"?: readonly Kind[];
}

interface Crd {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly name: string; readonly schema: { readonly openAPIV3Schema: Schema } }[];
  };
}

/** The version whose kinds the charts use, and whose controllers `npm run k8s` runs. */
export const certManager = { module: "github.com/cert-manager/cert-manager", version: "v1.19.1" } as const;
const certManagerModule = `${certManager.module}@${certManager.version}` as const;

const crdSources = [
  ...["certificates", "certificaterequests", "issuers", "clusterissuers"].map(
    (name) => [certManagerModule, `deploy/crds/cert-manager.io_${name}.yaml`] as const,
  ),
  ["sigs.k8s.io/gateway-api@v1.4.0", "config/crd/standard/gateway.networking.k8s.io_httproutes.yaml"],
  ["github.com/kedacore/keda/v2@v2.18.1", "config/crd/bases/keda.sh_scaledobjects.yaml"],
  ...["servicemonitors", "prometheusrules"].map(
    (name) =>
      [
        "github.com/prometheus-operator/prometheus-operator@v0.85.0",
        `example/prometheus-operator-crd/monitoring.coreos.com_${name}.yaml`,
      ] as const,
  ),
] as const;

/** Rules missing in API servers' schemas: only listed fields are valid, and numbers may be text. */
function strict(schema: Schema): Schema {
  const copy: Schema = {};
  for (const [key, value] of Object.entries(schema)) copy[key] = strictValue(value);
  const takesNumbers = schema["format"] === "int-or-string" || schema["x-kubernetes-int-or-string"] === true;
  if (takesNumbers) return { anyOf: [{ type: "integer" }, { type: "string" }] };
  const isOpen = "additionalProperties" in schema || schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (schema.properties !== undefined && !isOpen) copy["additionalProperties"] = false;
  return copy;
}

function strictValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strictValue);
  return typeof value === "object" && value !== null ? strict(value as Schema) : value;
}

const fileOf = ({ group, version, kind }: Kind): string =>
  `${[kind, group.split(".")[0], version].filter(Boolean).join("-").toLowerCase()}.json`;

async function writeCore(dir: string): Promise<void> {
  const source = join(await moduleDir(`k8s.io/kubernetes@v${kubeVersion}`), "api/openapi-spec/swagger.json");
  const { definitions } = JSON.parse(await readFile(source, "utf8")) as { definitions: Record<string, Definition> };
  const quantity = "io.k8s.apimachinery.pkg.api.resource.Quantity";
  const whole = { ...strict(definitions), [quantity]: { anyOf: [{ type: "string" }, { type: "number" }] } };
  await writeFile(join(dir, "definitions.json"), JSON.stringify({ definitions: whole }));
  for (const [name, definition] of Object.entries(definitions)) {
    for (const kind of definition["x-kubernetes-group-version-kind"] ?? []) {
      const schema = { $ref: `file://${dir}/definitions.json#/definitions/${name}` };
      await writeFile(join(dir, fileOf(kind)), JSON.stringify(schema));
    }
  }
}

/** The definitions of the kinds that extend Kubernetes, one file each. */
export function crdFiles(): Promise<string[]> {
  return Promise.all(crdSources.map(async ([module, file]) => join(await moduleDir(module), file)));
}

async function writeCrd(dir: string, file: string): Promise<void> {
  const { spec } = parse(await readFile(file, "utf8")) as Crd;
  for (const { name: version, schema } of spec.versions) {
    const whole = strict(schema.openAPIV3Schema);
    Object.assign(whole.properties ?? {}, { apiVersion: { type: "string" }, kind: { type: "string" } });
    const target = fileOf({ group: spec.group, version, kind: spec.names.kind });
    await writeFile(join(dir, target), JSON.stringify(whole));
  }
}

/**
 * Writes the JSON schemas of every kind in the charts for kubeconform, from the published modules
 * of Kubernetes and its extensions.
 */
export async function writeSchemas(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true });
  await writeCore(dir);
  for (const file of await crdFiles()) await writeCrd(dir, file);
}

/** Where kubeconform finds the schema of a kind in such a folder. */
export const schemaLocation = (dir: string): string => `${dir}/{{ .ResourceKind }}{{ .KindSuffix }}.json`;
