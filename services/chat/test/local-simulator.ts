import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A call that the simulator served. */
export interface ServedCall {
  readonly provider: string;
  readonly path: string;
  readonly requested_model: string;
  readonly key_hash: string;
  readonly stream: boolean;
  readonly status: number;
  readonly outcome: string;
  readonly charged: { readonly rule: string } | null;
  readonly usage: {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly prompt_tokens_details?: { readonly cached_tokens?: number };
  } | null;
  readonly delivered: { readonly content_tokens: number };
}

/** A simulator of the test's own. */
export interface LocalSimulator extends AsyncDisposable {
  readonly url: string;
  /** The calls that have ended, oldest first. A call is listed shortly after the client has its last byte. */
  log(): Promise<ServedCall[]>;
}

/** Starts a simulator without faults. */
export async function startSimulator(): Promise<LocalSimulator> {
  const main = fileURLToPath(import.meta.resolve("@uag/simulator/main"));
  const env = { ...process.env, PORT: "0", DATA_DIR: undefined, SIM_FAULTS: undefined };
  const simulator = spawn(process.execPath, [main], { env, stdio: ["ignore", "pipe", "inherit"] });
  assert.ok(simulator.stdout !== null);
  let url = "";
  for await (const line of createInterface(simulator.stdout)) {
    url = /http:\S+/.exec(line)?.[0] ?? "";
    if (url !== "") break;
  }
  return {
    url,
    async log() {
      const response = await fetch(`${url}/sim/log?limit=10000`, { signal: AbortSignal.timeout(60_000) });
      return ((await response.json()) as { entries: ServedCall[] }).entries;
    },
    async [Symbol.asyncDispose]() {
      simulator.kill();
      if (simulator.exitCode === null) await once(simulator, "exit");
    },
  };
}
