import { appendFile, copyFile } from "node:fs/promises";
import { join } from "node:path";
import { startTestFleet, type TestFleet } from "@uag/harness/fleet/with-fleet";
import { repoRoot } from "@uag/local/paths";
import { diskFaultsEnv } from "./disk.ts";
import type { Figures } from "./figures.ts";

export interface ProofOptions {
  readonly fleet: TestFleet;
  /** Duration of the failure. */
  readonly seconds: number;
  /** Numbers in [0, 1). */
  readonly random: () => number;
  /** Requests per second, for a proof with a fixed rate. */
  readonly perSecond?: number;
}

/** A promise of this system, with the run that proves it. */
export interface Proof {
  readonly name: string;
  readonly about: string;
  /** Number of processes of other services than chat, which has three; default: one each. */
  readonly replicas?: Readonly<Record<string, number>>;
  /** Settings of every service. */
  readonly env?: Readonly<Record<string, string>>;
  /** Size of MongoDB's own volume, bytes, which requires root. Default: it shares the disk. */
  readonly databaseBytes?: number;
  /** Default for the command; tests use less. 0 if there is no failure with a duration. */
  readonly seconds: number;
  run(options: ProofOptions): Promise<Figures>;
}

/**
 * A model with a price for its output only: with a cap that the response exactly reaches, a request
 * costs exactly its hold.
 */
export const exactModel = "exact-words";
const exactModelEntry = `
  - id: ${exactModel}
    owned_by: openai
    display_name: Exact words
    created: 2024-07-18
    operations: [chat.completions]
    context_tokens: 128000
    max_output_tokens: 16384
    input: [text]
    price: { input_tokens: 0, output_tokens: 1000 }
    upstreams: [{ provider: openai, model: gpt-4o-mini }]
`;

/** The folder of a fleet's MongoDB files. */
export const databasePath = (dataDir: string): string => join(dataDir, "mongo");

/**
 * A fleet with three chat replicas, shared by proofs and their tests. Its catalogue additionally
 * has the exact model.
 */
export async function startProofFleet(
  dataDir: string,
  { env = {}, replicas = {} }: Pick<Proof, "env" | "replicas"> = {},
): Promise<TestFleet> {
  const catalog = join(dataDir, "catalog.yaml");
  await copyFile(join(repoRoot, "infra/config/catalog.yaml"), catalog);
  await appendFile(catalog, exactModelEntry);
  return startTestFleet({
    dataDir,
    services: ["billing", "metering", "chat", "router"],
    replicas: { chat: 3, ...replicas },
    env: { CATALOG_FILE: catalog, ...diskFaultsEnv(dataDir), ...env },
  });
}
