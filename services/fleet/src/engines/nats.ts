import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { connect } from "nats";
import type { ProcessSpec } from "../supervisor/process.ts";
import { acceptsConnections } from "../supervisor/tcp.ts";
import { engineEnv } from "./env.ts";
import type { Engine } from "./find.ts";

export interface NatsOptions {
  engine: Engine;
  port: number;
  /** Where its streams and its configuration are kept; made when missing. */
  dataDir: string;
}

/** `sync_interval: always` makes an acknowledged message one that is on disk. */
function configFile(options: NatsOptions): string {
  return `host: "127.0.0.1"
port: ${options.port}
server_name: "fleet"
max_payload: 8MB
jetstream {
  store_dir: ${JSON.stringify(options.dataDir)}
  sync_interval: always
  max_memory_store: 64MB
  max_file_store: 16GB
}
`;
}

export function natsUrl(port: number): string {
  return `nats://127.0.0.1:${port}`;
}

/** A nats-server for the supervisor: JetStream on files, on loopback only, ready when JetStream answers. */
export async function natsProcess(options: NatsOptions): Promise<ProcessSpec> {
  await mkdir(options.dataDir, { recursive: true });
  const file = join(options.dataDir, "nats.conf");
  await writeFile(file, configFile(options));
  return {
    name: "nats-server",
    command: [options.engine.path, "--config", file],
    env: { ...engineEnv(), ...options.engine.env },
    cwd: options.dataDir,
    isReady: async () => (await acceptsConnections(options.port)) && isJetStreamUp(natsUrl(options.port)),
  };
}

async function isJetStreamUp(servers: string): Promise<boolean> {
  const connection = await connect({ servers, timeout: 1_000, reconnect: false, maxReconnectAttempts: 0 }).catch(
    () => undefined,
  );
  if (connection === undefined) return false;
  const info = await connection
    .jetstreamManager({ timeout: 1_000 })
    .then((manager) => manager.getAccountInfo())
    .catch(() => undefined);
  await connection.close();
  return info !== undefined;
}
