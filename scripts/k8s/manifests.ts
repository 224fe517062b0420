import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CertificateNames } from "@uag/local/identity/authority";
import { buildCharts, fleetChart, type KubeObject, render, type Values } from "../charts/charts.ts";

/** A container of the manifests, with the inputs of its pods. */
export interface Workload {
  readonly name: string;
  readonly service: string;
  readonly replicas: number;
  /** The Service that gives each of its pods a name. */
  readonly governedBy: string | undefined;
  readonly template: KubeObject["spec"];
  readonly container: KubeObject["spec"];
  /** Containers that run beside it. */
  readonly sidecars: readonly KubeObject["spec"][];
}

export interface Manifests {
  readonly workloads: readonly Workload[];
  /** The owners of certificates, by Secret. */
  readonly certificates: ReadonlyMap<string, CertificateNames>;
  /** The contents of files, by name. */
  readonly configMaps: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** By Service: the selector of its pods, and whether it includes unready ones. */
  readonly services: readonly { name: string; service: string; always: boolean }[];
}

const serviceLabel = "app.kubernetes.io/name";

function workloadOf({ metadata, spec }: KubeObject): Workload {
  const template = spec.template.spec;
  const service = spec.template.metadata.labels[serviceLabel] as string;
  const { replicas, serviceName: governedBy } = spec;
  const [container] = template.containers;
  const sidecars = (template.initContainers ?? []).filter(
    ({ restartPolicy }: KubeObject["spec"]) => restartPolicy === "Always",
  );
  return { name: metadata.name, service, replicas, governedBy, template, container, sidecars };
}

const namesIn = ({ commonName, subject, uris, dnsNames }: KubeObject["spec"]): CertificateNames => ({
  commonName,
  ...(subject === undefined ? {} : { organization: subject.organizations[0] }),
  ...(uris === undefined ? {} : { uri: uris[0] }),
  ...(dnsNames === undefined ? {} : { dns: dnsNames }),
});

/** Renders the fleet's chart with these values, and returns the parts that one machine can run. */
export async function readManifests(values: Values, catalogFile: string): Promise<Manifests> {
  const dir = await mkdtemp(join(tmpdir(), "k8s-local-"));
  try {
    await buildCharts(join(dir, "charts"));
    await writeFile(join(dir, "values.json"), JSON.stringify(values));
    const args = ["--values", join(dir, "values.json"), "--set-file", `global.catalog.content=${catalogFile}`];
    const objects = await render(join(dir, "charts"), fleetChart, args);
    const of = (...kinds: string[]): KubeObject[] => objects.filter(({ kind }) => kinds.includes(kind));
    return {
      workloads: of("Deployment", "StatefulSet").map(workloadOf),
      certificates: new Map(of("Certificate").map(({ spec }) => [spec.secretName, namesIn(spec)])),
      configMaps: new Map(of("ConfigMap").map(({ metadata, data }) => [metadata.name, data ?? {}])),
      services: of("Service").map(({ metadata, spec }) => ({
        name: metadata.name,
        service: spec.selector[serviceLabel],
        always: spec.publishNotReadyAddresses === true,
      })),
    };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
