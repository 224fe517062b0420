import { createHmac } from "node:crypto";
import { join } from "node:path";
import type { Peer } from "@uag/contract/access/rpc";
import { certificateFiles } from "../identity/certificates.ts";
import type { Ports } from "../ports.ts";
import type { ProcessSpec } from "../supervisor/process.ts";
import { findMongod, findNatsServer } from "./find.ts";
import { mongoAccess } from "./mongo-users.ts";
import { mongodProcess, mongodUrl } from "./mongod.ts";
import { natsProcess, natsUrl } from "./nats.ts";

export interface EngineOptions {
  binDir: string;
  /** Must already contain the certificates. */
  dataDir: string;
  ports: Ports;
  /** The secret from which the passwords of the engines' users are derived. */
  secret: string;
  /** Servers to use instead of the fleet's own, with the users in their URLs. */
  mongodbUrl?: string | undefined;
  natsUrl?: string | undefined;
}

export interface Engines {
  /** URL for the operator, who has all rights. */
  readonly mongodbUrl: string;
  readonly natsUrl: string;
  /**
   * A service's settings for the engines; for the fleet's own engines, with the service's user.
   */
  settingsFor(peer: Peer): Record<string, string>;
  /** Processes that must run before the URLs work. */
  readonly processes: readonly ProcessSpec[];
  /** For people: the chosen servers. */
  readonly chosen: readonly string[];
}

interface EngineChoice {
  url: string;
  settingsFor(peer: Peer): Record<string, string>;
  process?: ProcessSpec;
  chosen: string;
}

/** The password of an engine's user; it does not reveal the secret it is derived from. */
function passwords(secret: string, engine: string): (peer: Peer) => string {
  return (peer) => createHmac("sha256", secret).update(`${engine}/${peer}`).digest("base64url");
}

async function chooseMongod(options: EngineOptions): Promise<EngineChoice> {
  const { binDir, dataDir, ports, mongodbUrl: url } = options;
  if (url !== undefined) {
    return { url, settingsFor: () => ({ MONGODB_URL: url }), chosen: "MongoDB at MONGODB_URL" };
  }
  const engine = await findMongod({ binDir });
  const port = await ports.get("mongod");
  const passwordOf = passwords(options.secret, "mongodb");
  const process = await mongodProcess({ engine, port, dbPath: join(dataDir, "mongo"), passwordOf });
  const urlOf = (peer: Peer): string => mongodUrl(port, peer, passwordOf(peer));
  return {
    url: urlOf("operator"),
    settingsFor: (peer) => (peer in mongoAccess ? { MONGODB_URL: urlOf(peer) } : {}),
    process,
    chosen: engine.chosen,
  };
}

async function chooseNats(options: EngineOptions): Promise<EngineChoice> {
  const { binDir, dataDir, ports, natsUrl: url } = options;
  if (url !== undefined) return { url, settingsFor: () => ({ NATS_URL: url }), chosen: "NATS at NATS_URL" };
  const engine = await findNatsServer({ binDir });
  const port = await ports.get("nats-server");
  const passwordOf = passwords(options.secret, "nats");
  const certificates = certificateFiles(dataDir, "nats-server");
  const process = await natsProcess({ engine, port, dataDir: join(dataDir, "nats"), certificates, passwordOf });
  return {
    url: natsUrl(port, "operator", passwordOf("operator")),
    settingsFor(peer) {
      const { cert, key, ca } = certificateFiles(dataDir, peer);
      const files = { NATS_CA_FILE: ca, NATS_CERT_FILE: cert, NATS_KEY_FILE: key };
      return { NATS_URL: `nats://127.0.0.1:${port}`, NATS_USER: peer, NATS_PASSWORD: passwordOf(peer), ...files };
    },
    process,
    chosen: engine.chosen,
  };
}

/**
 * Finds or downloads the engines not given by URL. Sequentially, because each may show a download's
 * progress.
 */
export async function chooseEngines(options: EngineOptions): Promise<Engines> {
  const choices = [await chooseMongod(options), await chooseNats(options)] as const;
  return {
    mongodbUrl: choices[0].url,
    natsUrl: choices[1].url,
    settingsFor: (peer) => Object.assign({}, ...choices.map(({ settingsFor }) => settingsFor(peer))),
    processes: choices.flatMap(({ process }) => (process === undefined ? [] : [process])),
    chosen: choices.map(({ chosen }) => chosen),
  };
}
