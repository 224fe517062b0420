import { chmod, copyFile, cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { providerEnvironments } from "@uag/catalog/provider-environment";
import { findMongod, findNatsServer } from "@uag/local/engines/find";
import { chooseEngines, type Engines } from "@uag/local/engines/start";
import { issue } from "@uag/local/identity/authority";
import { certificateFiles, makeCertificates } from "@uag/local/identity/certificates";
import { binDir, repoRoot } from "@uag/local/paths";
import { Ports } from "@uag/local/ports";
import { simulator } from "@uag/local/processes";
import { providerSettings } from "@uag/local/providers";
import { loadSecrets } from "@uag/local/secrets";
import { seed } from "@uag/local/seed";
import { respondsOk } from "@uag/local/supervisor/health";
import { Supervisor } from "@uag/local/supervisor/supervisor";
import { engineCharts } from "../charts/charts.ts";
import { type Manifests, readManifests, type Workload } from "./manifests.ts";
import { Names } from "./names.ts";
import { makePod, type Pod } from "./pod.ts";
import { LocalSecrets } from "./secrets.ts";
import { localValues } from "./values.ts";

const catalogFile = join(repoRoot, "infra/config/catalog.yaml");
/** Each pod has its own loopback address, so that all can use the manifests' ports. */
const firstAddress = "127.77.0.";

export interface Cluster extends AsyncDisposable {
  readonly pods: readonly Pod[];
  readonly supervisor: Supervisor;
  readonly names: Names;
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Time from start to first readiness, milliseconds, by pod. */
  readonly readyMs: ReadonlyMap<string, number>;
}

export interface ClusterOptions {
  readonly dataDir: string;
  /** Folder with a tree for each image. */
  readonly images: string;
  /** Whether the engines are those of the fleet's charts instead of external ones. */
  readonly bundled: boolean;
  report(line: string): void;
}

/** The Secrets of the manifests' Certificates, issued by the CA that the broker also trusts. */
async function certificatesOf(dataDir: string, manifests: Manifests): Promise<Map<string, Record<string, string>>> {
  const ca = certificateFiles(dataDir, "operator").ca;
  const authority = { cert: await readFile(ca, "utf8"), key: await readFile(ca.replace(/crt$/, "key"), "utf8") };
  const issued = new Map<string, Record<string, string>>();
  for (const [secret, names] of manifests.certificates) {
    const { cert, key } = await issue(authority, names);
    const pair = { "tls.crt": cert, "tls.key": key, "tls-combined.pem": `${key}${cert}` };
    issued.set(secret, { ...pair, "ca.crt": authority.cert });
  }
  return issued;
}

interface Around {
  readonly manifests: Manifests;
  readonly secrets: LocalSecrets;
  readonly certificates: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

function filesOf({ manifests, secrets, certificates }: Around, workload: Workload) {
  return (volume: Workload["template"]): Readonly<Record<string, string>> | undefined => {
    if (volume?.configMap !== undefined) return manifests.configMaps.get(volume.configMap.name);
    if (volume?.secret === undefined) return undefined;
    const { secretName, items } = volume.secret;
    const certificate = certificates.get(secretName);
    if (items === undefined) return certificate;
    const keys = items.map(({ key }: { key: string }) => key) as string[];
    return Object.fromEntries(keys.map((key) => [key, certificate?.[key] ?? secrets.valueOf(workload.service, key)]));
  };
}

/** A folder with only NATS, like its image. */
async function natsImage(dataDir: string): Promise<string> {
  const dir = join(dataDir, "images/nats");
  await mkdir(dir, { recursive: true });
  await copyFile((await findNatsServer({ binDir })).path, join(dir, "nats-server"));
  return dir;
}

/** A folder with MongoDB's server and its bundled libraries, like its image. */
async function mongoImage(dataDir: string): Promise<string> {
  const dir = join(dataDir, "images/mongo");
  const { path, env } = await findMongod({ binDir });
  await mkdir(dir, { recursive: true });
  await copyFile(path, join(dir, "server"));
  const libraries = env["LD_LIBRARY_PATH"];
  if (libraries !== undefined) await cp(libraries, join(dir, "lib"), { recursive: true, dereference: true });
  await writeFile(join(dir, "mongod"), '#!/bin/sh\nLD_LIBRARY_PATH=/app/lib exec /app/server "$@"\n');
  await chmod(join(dir, "mongod"), 0o755);
  return dir;
}

/** The last component of an image's name, without tag and digest. */
const lastOf = (image: string): string => /([\w-]+)(?:[:@][^/]*)?$/.exec(image)?.[1] ?? image;

async function makePods(around: Around, { dataDir, images, bundled }: ClusterOptions, hosts: string): Promise<Pod[]> {
  const pods: Pod[] = [];
  const engines = bundled ? { nats: await natsImage(dataDir), mongo: await mongoImage(dataDir) } : {};
  const others = new Map(Object.entries(engines));
  const imageOf = (name: string): string => others.get(lastOf(name)) ?? join(images, lastOf(name));
  for (const workload of around.manifests.workloads) {
    for (let ordinal = 0; ordinal < workload.replicas; ordinal++) {
      const dir = join(dataDir, "pods", `${workload.name}-${ordinal}`);
      const ip = `${firstAddress}${pods.length + 1}`;
      await mkdir(dir, { recursive: true });
      pods.push(await makePod({ workload, ordinal, ip, dir, imageOf, hosts, filesOf: filesOf(around, workload) }));
    }
  }
  return pods;
}

async function startSimulator(dataDir: string, ports: Ports, supervisor: Supervisor): Promise<string> {
  const port = await ports.get("simulator.PORT");
  const url = `http://127.0.0.1:${port}`;
  const env = { PORT: String(port), DATA_DIR: join(dataDir, "simulator"), PATH: process.env["PATH"] ?? "" };
  const [, path] = simulator.ready;
  const command = [process.execPath, join(repoRoot, simulator.entry)] as const;
  await supervisor.add({ name: "simulator", command, env, cwd: dataDir, isReady: () => respondsOk(`${url}${path}`) });
  return url;
}

async function startEngines(engines: Engines, bundled: boolean, supervisor: Supervisor): Promise<void> {
  const processes = bundled ? [] : engines.processes;
  for (const spec of processes) await supervisor.add(spec);
  await Promise.all(processes.map(({ name }) => supervisor.ready(name)));
}

/** Starts the pods that the fleet's chart renders, each as a process with its own file system. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { dataDir, bundled, report } = options;
  await using starting = new AsyncDisposableStack();
  await mkdir(dataDir, { recursive: true });
  const ports = starting.use(await Ports.load(join(dataDir, "ports.json")));
  const fleetSecrets = await loadSecrets(dataDir);
  await makeCertificates(dataDir);
  const engines = await chooseEngines({ binDir, dataDir, ports, secret: fleetSecrets.engines });
  const supervisor = starting.use(Supervisor.start({ logDir: join(dataDir, "log"), report }));
  await startEngines(engines, bundled, supervisor);
  const simulatorUrl = await startSimulator(dataDir, ports, supervisor);
  await supervisor.ready("simulator");

  const settings = providerSettings(providerEnvironments(await readFile(catalogFile, "utf8")), {}, simulatorUrl);
  const natsUrl = bundled ? undefined : engines.settingsFor("billing")["NATS_URL"];
  const manifests = await readManifests(localValues(settings, natsUrl), catalogFile);
  const secrets = new LocalSecrets(bundled ? undefined : engines, settings);
  const certificates = await certificatesOf(dataDir, manifests);
  const hosts = join(dataDir, "hosts");
  await writeFile(hosts, "");
  const pods = await makePods({ manifests, secrets, certificates }, options, hosts);
  const names = new Names(hosts, manifests, pods);
  starting.defer(() => names.stop());
  void names.follow();
  const readyMs = await startPods(pods, supervisor);
  const ipOf = (service: string): string => pods.find((pod) => pod.workload.service === service)?.ip ?? "";
  const { cert: certFile, key: keyFile, ca: caFile } = certificateFiles(dataDir, "operator");
  const run = {
    grpc: { billing: `${ipOf("billing")}:50051` },
    tls: { cert_file: certFile, key_file: keyFile, ca_file: caFile },
  };
  const apiKey = await seed({ run, dataDir, secrets: fleetSecrets });
  const running = starting.move();
  const baseUrl = `http://${ipOf("router")}:8080`;
  return { pods, supervisor, names, baseUrl, apiKey, readyMs, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

async function startPods(pods: readonly Pod[], supervisor: Supervisor): Promise<Map<string, number>> {
  const readyMs = new Map<string, number>();
  const start = async (pod: Pod): Promise<void> => {
    const startedAt = performance.now();
    for (const spec of [...pod.sidecars, pod.spec]) await supervisor.add(spec);
    await supervisor.ready(pod.name, { timeoutMs: 180_000 });
    readyMs.set(pod.name, performance.now() - startedAt);
  };
  // In a cluster services restart until the engines are ready; here that would take longer.
  const isEngine = ({ workload }: Pod): boolean => engineCharts.includes(workload.service);
  await Promise.all(pods.filter(isEngine).map(start));
  await Promise.all(pods.filter((pod) => !isEngine(pod)).map(start));
  return readyMs;
}
