import { join } from "node:path";
import type { Ports } from "../ports.ts";
import type { ProcessSpec } from "../supervisor/process.ts";
import { findMongod, findNatsServer } from "./find.ts";
import { mongodProcess, mongodUrl } from "./mongod.ts";
import { natsProcess, natsUrl } from "./nats.ts";

export interface EngineOptions {
  binDir: string;
  dataDir: string;
  ports: Ports;
  /** Servers to use in place of our own. */
  mongodbUrl?: string | undefined;
  natsUrl?: string | undefined;
}

export interface Engines {
  readonly mongodbUrl: string;
  readonly natsUrl: string;
  /** What must run for the URLs to answer. */
  readonly processes: readonly ProcessSpec[];
  /** For people: which servers were chosen. */
  readonly chosen: readonly string[];
}

interface EngineChoice {
  url: string;
  process?: ProcessSpec;
  chosen: string;
}

async function chooseMongod(options: EngineOptions): Promise<EngineChoice> {
  const { binDir, dataDir, ports, mongodbUrl: url } = options;
  if (url !== undefined) return { url, chosen: "MongoDB at MONGODB_URL" };
  const engine = await findMongod({ binDir });
  const port = await ports.get("mongod");
  const process = await mongodProcess({ engine, port, dbPath: join(dataDir, "mongo") });
  return { url: mongodUrl(port), process, chosen: engine.chosen };
}

async function chooseNats(options: EngineOptions): Promise<EngineChoice> {
  const { binDir, dataDir, ports, natsUrl: url } = options;
  if (url !== undefined) return { url, chosen: "NATS at NATS_URL" };
  const engine = await findNatsServer({ binDir });
  const port = await ports.get("nats-server");
  const process = await natsProcess({ engine, port, dataDir: join(dataDir, "nats") });
  return { url: natsUrl(port), process, chosen: engine.chosen };
}

/** Finds or fetches the engines that are not named by URL. One after the other: each may show a download's progress. */
export async function chooseEngines(options: EngineOptions): Promise<Engines> {
  const choices = [await chooseMongod(options), await chooseNats(options)] as const;
  return {
    mongodbUrl: choices[0].url,
    natsUrl: choices[1].url,
    processes: choices.flatMap(({ process }) => (process === undefined ? [] : [process])),
    chosen: choices.map(({ chosen }) => chosen),
  };
}
