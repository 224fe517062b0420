import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { fleetOn } from "./data-dir.ts";
import { writePrivateJson } from "./private-file.ts";
import { UserError } from "./terminal/step.mjs";

const runSchema = z.object({
  base_url: z.string(),
  mcp_url: z.string(),
  console_url: z.string(),
  api_key: z.string(),
  /**
   * Base URL of the admin API on the router's operator port; `<base_url>/admin/v1` serves it too.
   */
  admin_url: z.string(),
  admin: z.object({ email: z.string(), password: z.string(), token: z.string() }),
  mongodb_url: z.string(),
  nats_url: z.string(),
  /**
   * The user in that URL, for clients that do not read it from the URL; absent when the URL contains none.
   */
  nats_user: z.string().optional(),
  nats_password: z.string().optional(),
  simulator_url: z.string(),
  /** By process name; updated when a process is restarted. */
  pids: z.record(z.string(), z.number()),
  fleet_pid: z.number(),
  /** `host:port` of each service's gRPC server, comma-separated for several replicas. */
  grpc: z.record(z.string(), z.string()),
  /** The operator's certificate for calls to those; PEM files. */
  tls: z.object({ cert_file: z.string(), key_file: z.string(), ca_file: z.string() }),
  account_id: z.string(),
  /** Providers that the simulator replaces. */
  simulated: z.array(z.string()),
});

/** A running fleet's description in `<DATA_DIR>/run.json`; which users' scripts may read. */
export type Run = z.infer<typeof runSchema>;

const fileOf = (dataDir: string): string => join(dataDir, "run.json");

/** Readable only by this user, because it contains a key and the admin's password. */
export async function writeRun(dataDir: string, run: Run): Promise<void> {
  await writePrivateJson(fileOf(dataDir), run);
}

/** The file exists exactly while the fleet is ready. */
export async function removeRun(dataDir: string): Promise<void> {
  await rm(fileOf(dataDir), { force: true });
}

/** @throws {UserError} when no fleet runs on this data directory. */
export async function readRun(dataDir: string): Promise<Run> {
  const text = await readFile(fileOf(dataDir), "utf8").catch(() => undefined);
  // A killed fleet leaves its file behind.
  if (text === undefined || (await fleetOn(dataDir)) === undefined) {
    throw new UserError(
      `No fleet is running on ${dataDir}. Start it with: npm start (the same DATA_DIR, if you set one)`,
    );
  }
  return runSchema.parse(JSON.parse(text));
}
