import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type BusAccess, busAccess } from "@uag/contract/access/bus";
import { type Peer, peers } from "@uag/contract/access/rpc";
import { natsOptions } from "@uag/runtime/bus";
import type { CertificateFiles } from "@uag/runtime/rpc/certificates";
import { connect } from "nats";
import { writePrivate } from "../private-file.ts";
import type { ProcessSpec } from "../supervisor/process.ts";
import { acceptsConnections } from "../supervisor/tcp.ts";
import { engineEnv } from "./env.ts";
import type { Engine } from "./find.ts";

export interface NatsOptions {
  engine: Engine;
  port: number;
  /** Folder of its streams and configuration; created if missing. */
  dataDir: string;
  certificates: CertificateFiles;
  passwordOf(peer: Peer): string;
}

const list = (subjects: readonly string[]): string => `{ allow: ${JSON.stringify(subjects)} }`;

function userLine(peer: Peer, password: string, { publish, subscribe }: BusAccess): string {
  const mayPublish = publish.length === 0 ? '{ deny: ">" }' : list(publish);
  const permissions = `{ publish: ${mayPublish}, subscribe: ${list([...subscribe, `_INBOX.${peer}.>`])} }`;
  return `{ user: "${peer}", password: ${password}, permissions: ${permissions} }`;
}

/** The users of a server's configuration with their permissions; passwords as in the file. */
export function authorizationBlock(passwordOf: (peer: Peer) => string): string {
  const users = peers.map((peer) => `    ${userLine(peer, passwordOf(peer), busAccess[peer])}`);
  return `authorization {
  users: [
${users.join("\n")}
  ]
}
`;
}

/**
 * `sync_interval: always` means that an acknowledged message is on disk. The services use TLS; a
 * client with only a URL must also authenticate as a user, although the server listens only on this
 * machine.
 */
function configFile({ port, dataDir, certificates, passwordOf }: NatsOptions): string {
  return `host: "127.0.0.1"
port: ${port}
server_name: "fleet"
max_payload: 8MB
allow_non_tls: true
tls {
  cert_file: ${JSON.stringify(certificates.cert)}
  key_file: ${JSON.stringify(certificates.key)}
  ca_file: ${JSON.stringify(certificates.ca)}
  verify: true
}
${authorizationBlock((peer) => JSON.stringify(passwordOf(peer)))}jetstream {
  store_dir: ${JSON.stringify(dataDir)}
  sync_interval: always
  max_memory_store: 64MB
  max_file_store: 16GB
}
`;
}

export function natsUrl(port: number, user: Peer, password: string): string {
  return `nats://${user}:${password}@127.0.0.1:${port}`;
}

/** The user in a URL, for clients that do not read it from the URL. */
export function natsUserOf(url: string): { nats_user?: string; nats_password?: string } {
  const { user, pass } = natsOptions({ NATS_URL: url });
  return user === undefined ? {} : { nats_user: user, nats_password: pass ?? "" };
}

/**
 * A nats-server for the supervisor: JetStream on files, on loopback only, ready when JetStream
 * responds.
 */
export async function natsProcess(options: NatsOptions): Promise<ProcessSpec> {
  const { port, dataDir, engine, passwordOf } = options;
  await mkdir(dataDir, { recursive: true });
  const file = join(dataDir, "nats.conf");
  await writePrivate(file, configFile(options));
  const url = natsUrl(port, "operator", passwordOf("operator"));
  return {
    name: "nats-server",
    command: [engine.path, "--config", file],
    env: { ...engineEnv(), ...engine.env },
    cwd: dataDir,
    isReady: async () => (await acceptsConnections(port)) && isJetStreamUp(url),
  };
}

async function isJetStreamUp(url: string): Promise<boolean> {
  const connection = await connect({
    ...natsOptions({ NATS_URL: url }),
    timeout: 1_000,
    reconnect: false,
    maxReconnectAttempts: 0,
  }).catch(() => undefined);
  if (connection === undefined) return false;
  const info = await connection
    .jetstreamManager({ timeout: 1_000 })
    .then((manager) => manager.getAccountInfo())
    .catch(() => undefined);
  await connection.close();
  return info !== undefined;
}
