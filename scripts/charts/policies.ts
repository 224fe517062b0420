import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Ajv } from "ajv";
import { parse } from "yaml";
import { helmDir, type KubeObject } from "./charts.ts";

interface Policy {
  readonly name: string;
  readonly kinds: readonly string[];
  readonly schema: object;
}

type Judge = (object: KubeObject) => string[];

/** Reads the policies; the result lists those that an object violates, and where. */
export async function readPolicies(): Promise<Judge> {
  const policies = parse(await readFile(join(helmDir, "policies.yaml"), "utf8")) as Policy[];
  const ajv = new Ajv({ strict: false, allErrors: true });
  const judges = policies.map((policy) => ({ ...policy, holds: ajv.compile(policy.schema) }));
  return (object) =>
    judges
      .filter(({ kinds, holds }) => kinds.includes(object.kind) && !holds(object))
      .map(({ name, holds }) => `${nameOf(object)} breaks "${name}": ${ajv.errorsText(holds.errors)}`);
}

const nameOf = ({ kind, metadata }: KubeObject): string => `${kind} ${metadata.name}`;

const selects = (selector: Readonly<Record<string, string>>, { spec }: KubeObject): boolean => {
  const labels = spec.template.metadata.labels as Record<string, string>;
  return Object.entries(selector).every(([name, value]) => labels[name] === value);
};

/** The required objects of each workload: a disruption budget and network policies. */
export function unguardedWorkloads(objects: readonly KubeObject[]): string[] {
  const workloads = objects.filter(({ kind }) => kind === "Deployment" || kind === "StatefulSet");
  return workloads.flatMap((workload) => {
    const has = (kind: string, of: (spec: KubeObject["spec"]) => Readonly<Record<string, string>>): string[] =>
      objects.some((one) => one.kind === kind && selects(of(one.spec), workload))
        ? []
        : [`${nameOf(workload)} has no ${kind}`];
    return [
      ...has("PodDisruptionBudget", (spec) => spec.selector.matchLabels),
      ...has("NetworkPolicy", (spec) => spec.podSelector.matchLabels),
    ];
  });
}
