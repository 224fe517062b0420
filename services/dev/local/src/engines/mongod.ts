import { randomBytes } from "node:crypto";
import { access, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Peer } from "@uag/contract/access/rpc";
import type { Db } from "mongodb";
import { writePrivate } from "../private-file.ts";
import type { ProcessSpec } from "../supervisor/process.ts";
import { acceptsConnections } from "../supervisor/tcp.ts";
import { engineEnv } from "./env.ts";
import type { Engine } from "./find.ts";
import { isPassing, isUnknownUser, isWritable, withClient } from "./mongo-client.ts";
import { putOperator, putUsers } from "./mongo-users.ts";

export interface MongodOptions {
  engine: Engine;
  port: number;
  /** Folder of its database files; created if missing. */
  dbPath: string;
  passwordOf(peer: Peer): string;
}

const replicaSet = "rs0";
// The server's minimum is a quarter of a gigabyte; a development fleet needs little more.
const cacheGigabytes = "0.5";
const oplogMegabytes = "512";

/** The URL of the single-node replica set's primary. */
export function mongodUrl(port: number, user: Peer, password: string): string {
  return `mongodb://${user}:${password}@127.0.0.1:${port}/?replicaSet=${replicaSet}&authSource=admin`;
}

/**
 * The shared key of a replica set's members. There is only one member, but mongod needs the file to
 * enforce authentication in a replica set.
 */
async function keyFile(dbPath: string): Promise<string> {
  const file = join(dbPath, "../mongo.key");
  const known = await access(file).then(
    () => true,
    () => false,
  );
  if (!known) await writePrivate(file, `${randomBytes(48).toString("base64")}\n`);
  return file;
}

/**
 * A mongod for the supervisor: journaled, on loopback only, with users; ready when it is the
 * primary of its single-node replica set and every service has its user.
 */
export async function mongodProcess(options: MongodOptions): Promise<ProcessSpec> {
  const { engine, port, dbPath } = options;
  await mkdir(dbPath, { recursive: true });
  const args = ["--replSet", replicaSet, "--bind_ip", "127.0.0.1", "--port", String(port)];
  args.push("--auth", "--keyFile", await keyFile(dbPath));
  args.push("--dbpath", dbPath, "--nounixsocket", "--quiet");
  args.push("--wiredTigerCacheSizeGB", cacheGigabytes, "--oplogSize", oplogMegabytes);
  args.push("--setParameter", "diagnosticDataCollectionEnabled=false");
  // The log of slow operations has their documents, with clients' links and addresses.
  args.push("--slowOpSampleRate", "0");
  // There is no other member to hand over to: by default it would wait 15 s for clients to find
  // one.
  args.push("--setParameter", "shutdownTimeoutMillisForSignaledShutdown=100");
  const users = { put: false };
  return {
    name: "mongod",
    command: [engine.path, ...args],
    env: { ...engineEnv(), ...engine.env },
    cwd: join(dbPath, ".."),
    isReady: async () => (await acceptsConnections(port)) && isPrimary(options, users),
  };
}

/**
 * Checks once; creates the replica set and the users if missing, and reconfigures the former when
 * its port has changed.
 */
async function isPrimary(options: MongodOptions, users: { put: boolean }): Promise<boolean> {
  const { port, passwordOf } = options;
  const host = `127.0.0.1:${port}`;
  const operator = `mongodb://operator:${passwordOf("operator")}@${host}/?directConnection=true&authSource=admin`;
  try {
    return await withClient(operator, async (client) => {
      const admin = client.db("admin");
      if (!(await isWritable(admin))) {
        await moveReplicaSet(admin, host);
        return false;
      }
      if (!users.put) await putUsers(client, passwordOf);
      users.put = true;
      return true;
    });
  } catch (error) {
    if (isPassing(error)) return false;
    if (!isUnknownUser(error)) throw error;
  }
  try {
    // There are no users yet: the data directory is new, or from before users were introduced.
    await withClient(`mongodb://${host}/?directConnection=true`, async (client) => {
      const admin = client.db("admin");
      if (await isWritable(admin)) await putOperator(admin, passwordOf("operator"));
      else await admin.command({ replSetInitiate: { _id: replicaSet, members: [{ _id: 0, host }] } });
    });
    return false;
  } catch (error) {
    if (isPassing(error)) return false;
    throw error;
  }
}

async function moveReplicaSet(admin: Db, host: string): Promise<void> {
  const response = await admin.command({ replSetGetConfig: 1 });
  const config = response["config"] as { version: number; members: { _id: number; host: string }[] };
  if (config.members[0]?.host === host) return;
  const members = [{ ...config.members[0], host }];
  await admin.command({ replSetReconfig: { ...config, version: config.version + 1, members }, force: true });
}
