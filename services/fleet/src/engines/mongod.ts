import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { MongoClient, MongoServerError } from "mongodb";
import type { ProcessSpec } from "../supervisor/process.ts";
import { acceptsConnections } from "../supervisor/tcp.ts";
import { engineEnv } from "./env.ts";
import type { Engine } from "./find.ts";

export interface MongodOptions {
  engine: Engine;
  port: number;
  /** Where its database files are kept; made when missing. */
  dbPath: string;
}

const replicaSet = "rs0";
// The least that the server takes is a quarter of a gigabyte; a development fleet's data fits in little more.
const cacheGigabytes = "0.5";
const oplogMegabytes = "512";

/** The URL under which drivers find the primary of the single-node replica set. */
export function mongodUrl(port: number): string {
  return `mongodb://127.0.0.1:${port}/?replicaSet=${replicaSet}`;
}

/** A mongod for the supervisor: journalled, on loopback only, ready when it is the primary of its replica set of one. */
export async function mongodProcess(options: MongodOptions): Promise<ProcessSpec> {
  await mkdir(options.dbPath, { recursive: true });
  const args = ["--replSet", replicaSet, "--bind_ip", "127.0.0.1", "--port", String(options.port)];
  args.push("--dbpath", options.dbPath, "--nounixsocket", "--quiet");
  args.push("--wiredTigerCacheSizeGB", cacheGigabytes, "--oplogSize", oplogMegabytes);
  args.push("--setParameter", "diagnosticDataCollectionEnabled=false");
  // There is no other member to hand over to: the default would wait 15 s for clients to find one.
  args.push("--setParameter", "shutdownTimeoutMillisForSignaledShutdown=100");
  return {
    name: "mongod",
    command: [options.engine.path, ...args],
    env: { ...engineEnv(), ...options.engine.env },
    cwd: join(options.dbPath, ".."),
    isReady: async () => (await acceptsConnections(options.port)) && isPrimary(options.port),
  };
}

/** Asks once; makes the replica set when there is none yet, and moves it here when its port has changed. */
async function isPrimary(port: number): Promise<boolean> {
  const url = `mongodb://127.0.0.1:${port}/?directConnection=true`;
  const timeoutMs = 1_000;
  const client = new MongoClient(url, { serverSelectionTimeoutMS: timeoutMs, connectTimeoutMS: timeoutMs });
  try {
    const admin = client.db("admin");
    const hello = await admin.command({ hello: 1 });
    if (hello["isWritablePrimary"] === true) return true;
    await placeReplicaSet(client, `127.0.0.1:${port}`);
    return false;
  } catch (error) {
    if (error instanceof MongoServerError && isPassing(error)) return false;
    if (error instanceof Error && error.name.startsWith("MongoServerSelection")) return false;
    if (error instanceof Error && error.name.startsWith("MongoNetwork")) return false;
    throw error;
  } finally {
    await client.close();
  }
}

/** States that a starting or electing server is in for a moment. */
function isPassing(error: MongoServerError): boolean {
  const names = [
    "NotYetInitialized",
    "AlreadyInitialized",
    "InterruptedDueToReplStateChange",
    "NotPrimaryNoSecondaryOk",
  ];
  return names.includes(String(error.codeName)) || error.hasErrorLabel("RetryableWriteError");
}

async function placeReplicaSet(client: MongoClient, host: string): Promise<void> {
  const admin = client.db("admin");
  const answer = await admin.command({ replSetGetConfig: 1 }).catch((error: unknown) => {
    if (error instanceof MongoServerError && error.codeName === "NotYetInitialized") return undefined;
    throw error;
  });
  if (answer === undefined) {
    await admin.command({ replSetInitiate: { _id: replicaSet, members: [{ _id: 0, host }] } });
    return;
  }
  const config = answer["config"] as { version: number; members: { _id: number; host: string }[] };
  if (config.members[0]?.host === host) return;
  const members = [{ ...config.members[0], host }];
  await admin.command({ replSetReconfig: { ...config, version: config.version + 1, members }, force: true });
}
