import { services } from "@uag/local/processes";
import { namespace } from "../fleet/install.ts";
import type { Kubectl } from "../node/kubectl.ts";
import { type Around, type Finding, seconds, underLoad } from "./under-load.ts";

interface Workload {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

/** Deployments and StatefulSets of the charts, as kubectl names them. */
async function workloads(kubectl: Kubectl): Promise<string[]> {
  const { items } = await kubectl.get("--namespace", namespace, "deployments,statefulsets");
  return (items as Workload[])
    .filter(({ metadata }) => metadata.name.startsWith("uag-"))
    .map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}`)
    .sort();
}

/** Replaces the pods of every chart, one chart after another. */
export async function roll(around: Around): Promise<Finding> {
  const { kubectl } = around;
  const all = await workloads(kubectl);
  return underLoad(around, async () => {
    const times: string[] = [];
    for (const workload of all) {
      const startedAt = performance.now();
      await kubectl.run(["--namespace", namespace, "rollout", "restart", workload]);
      await kubectl.run(["--namespace", namespace, "rollout", "status", workload, "--timeout=900s"]);
      times.push(`${workload.split("/uag-")[1]} ${seconds(startedAt)} s`);
    }
    return `${all.length} charts, ${times.join(", ")}`;
  });
}

/** Replaces the pods of every service at once, as a release of the umbrella does, and rolls it back. */
export function upgrade(around: Around): Promise<Finding> {
  const { release } = around;
  return underLoad(around, async () => {
    let startedAt = performance.now();
    const podAnnotations = { release: "next" };
    await release.upgrade(Object.fromEntries(services.map(({ name }) => [name, { podAnnotations }])));
    const there = seconds(startedAt);
    startedAt = performance.now();
    await release.rollback();
    return `helm upgrade --wait of all services at once ${there} s, helm rollback --wait ${seconds(startedAt)} s`;
  });
}
