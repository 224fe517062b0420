import { join } from "node:path";
import { built, findEtcd, findKubernetes, type Program } from "../charts/api-server/programs.ts";
import { certManager } from "../charts/schemas.ts";

const here = join(import.meta.dirname, "programs");

const coredns: Program = {
  module: "github.com/coredns/coredns",
  version: "v1.12.4",
  source: join(here, "coredns.go"),
  name: "coredns",
};

const certManagerController: Program = { ...certManager, source: join(here, "cert-manager.go"), name: "cert-manager" };

const metricsServer: Program = {
  module: "sigs.k8s.io/metrics-server",
  version: "v0.8.0",
  main: "sigs.k8s.io/metrics-server/cmd/metrics-server",
  name: "metrics-server",
};

/** What every pod's first process needs: nothing but Go's own library, of the module that is downloaded anyway. */
const pause: Program = {
  module: coredns.module,
  version: coredns.version,
  source: join(here, "pause.go"),
  name: "pause",
};

const kubernetesPrograms = [
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "kubelet",
  "kube-proxy",
  "kubectl",
] as const;

export interface Programs extends Readonly<Record<(typeof kubernetesPrograms)[number], string>> {
  readonly etcd: string;
  readonly coredns: string;
  readonly pause: string;
  readonly "cert-manager": string;
  readonly "metrics-server": string;
}

/** Builds every program of the cluster, once. */
export async function findPrograms(): Promise<Programs> {
  const found: Record<string, string> = { etcd: await findEtcd() };
  for (const name of kubernetesPrograms) found[name] = await findKubernetes(name);
  for (const program of [coredns, pause, certManagerController, metricsServer])
    found[program.name] = await built(program);
  return found as unknown as Programs;
}
