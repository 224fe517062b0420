import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { waitFor } from "@uag/harness/testing/wait-for";
import { engineEnv } from "@uag/local/engines/env";
import { findMongod, findNatsServer } from "@uag/local/engines/find";
import { binDir } from "@uag/local/paths";
import { Ports } from "@uag/local/ports";
import type { ProcessSpec } from "@uag/local/supervisor/process";
import { type ProcessControl, Supervisor } from "@uag/local/supervisor/supervisor";
import { acceptsConnections } from "@uag/local/supervisor/tcp";
import { MongoClient } from "mongodb";

const members = [1, 2, 3] as const;
const replicaSet = "rs0";
const host = "127.0.0.1";

export const mongodOf = (member: number): string => `mongod-${member}`;
export const natsOf = (member: number): string => `nats-${member}`;

/** MongoDB and NATS as in production: three servers each, one of which may be lost. */
export interface ReplicatedEngines extends AsyncDisposable {
  readonly mongodbUrl: string;
  readonly natsUrl: string;
  readonly processes: ProcessControl;
  /** The members' current roles. */
  membersOf(state: "PRIMARY" | "SECONDARY"): Promise<string[]>;
}

async function mongodSpec(dataDir: string, member: number, port: number): Promise<ProcessSpec> {
  const engine = await findMongod({ binDir });
  const dbPath = join(dataDir, mongodOf(member));
  await mkdir(dbPath, { recursive: true });
  const args = ["--replSet", replicaSet, "--bind_ip", host, "--port", String(port), "--dbpath", dbPath];
  args.push("--nounixsocket", "--quiet", "--wiredTigerCacheSizeGB", "0.25", "--oplogSize", "256");
  args.push("--slowOpSampleRate", "0");
  args.push("--setParameter", "diagnosticDataCollectionEnabled=false");
  return {
    name: mongodOf(member),
    command: [engine.path, ...args],
    env: { ...engineEnv(), ...engine.env },
    cwd: dbPath,
    isReady: () => acceptsConnections(port),
  };
}

async function natsSpec(dataDir: string, member: number, ports: { own: number; routes: number[] }) {
  const engine = await findNatsServer({ binDir });
  const dir = join(dataDir, natsOf(member));
  await mkdir(dir, { recursive: true });
  const file = join(dir, "nats.conf");
  const routes = ports.routes.map((port) => `"nats://${host}:${port}"`).join(", ");
  await writeFile(
    file,
    `host: "${host}"
port: ${ports.own}
server_name: "${natsOf(member)}"
max_payload: 8MB
cluster { name: "uag", listen: "${host}:${ports.routes[member - 1]}", routes: [${routes}] }
jetstream { store_dir: ${JSON.stringify(dir)}, sync_interval: always, max_file_store: 16GB }
`,
  );
  const spec: ProcessSpec = {
    name: natsOf(member),
    command: [engine.path, "--config", file],
    env: { ...engineEnv(), ...engine.env },
    cwd: dir,
    isReady: () => acceptsConnections(ports.own),
  };
  return spec;
}

async function initiate(port: number, ports: readonly number[]): Promise<void> {
  await using client = new MongoClient(`mongodb://${host}:${port}/?directConnection=true`);
  const config = { _id: replicaSet, members: ports.map((each, n) => ({ _id: n, host: `${host}:${each}` })) };
  await client.db("admin").command({ replSetInitiate: config });
}

/** Starts all six servers, and waits until there are a primary and two secondaries. */
export async function startReplicatedEngines(dataDir: string): Promise<ReplicatedEngines> {
  await using starting = new AsyncDisposableStack();
  await mkdir(dataDir, { recursive: true });
  const ports = starting.use(await Ports.load(join(dataDir, "ports.json")));
  const supervisor = starting.use(Supervisor.start({ logDir: join(dataDir, "log"), report: () => undefined }));
  const portsOf = async (name: (member: number) => string): Promise<number[]> => {
    const found: number[] = [];
    for (const member of members) found.push(await ports.get(name(member)));
    return found;
  };
  const mongo = await portsOf(mongodOf);
  const nats = await portsOf(natsOf);
  const routes = await portsOf((member) => `${natsOf(member)}.ROUTES`);
  for (const member of members) {
    await supervisor.add(await mongodSpec(dataDir, member, mongo[member - 1] as number));
    await supervisor.add(await natsSpec(dataDir, member, { own: nats[member - 1] as number, routes }));
  }
  await Promise.all(supervisor.names().map((name) => supervisor.ready(name)));
  await initiate(mongo[0] as number, mongo);
  const mongodbUrl = `mongodb://${mongo.map((port) => `${host}:${port}`).join()}/?replicaSet=${replicaSet}`;
  const membersOf = async (state: string): Promise<string[]> => {
    await using client = new MongoClient(mongodbUrl);
    const status = await client.db("admin").command({ replSetGetStatus: 1 });
    const found = (status["members"] as { _id: number; stateStr: string }[]).filter((one) => one.stateStr === state);
    return found.map(({ _id }) => mongodOf(_id + 1));
  };
  const whole = async (): Promise<boolean> => (await membersOf("SECONDARY")).length === members.length - 1;
  await waitFor(whole, { everyMs: 200, what: "the replica set" });
  const running = starting.move();
  return {
    mongodbUrl,
    natsUrl: nats.map((port) => `nats://${host}:${port}`).join(),
    processes: supervisor,
    membersOf,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
