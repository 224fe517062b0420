import { appendFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { TestFleet } from "@uag/harness/fleet/with-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import { buildConsole } from "@uag/local/console-web";
import { renewCertificates } from "@uag/local/identity/certificates";
import { replicaNames } from "@uag/local/service-processes";
import { collectFigures } from "../soak/figures.ts";
import {
  type ChangeOptions,
  type ChangeReport,
  catalogOf,
  clientsOf,
  graceFor,
  rolled,
  startRollFleet,
  unexpectedEnds,
} from "./fleet.ts";
import { MixedLoad, type MixedLoadOptions } from "./mixed-load.ts";
import type { Tally } from "./tally.ts";

export interface RollOptions extends ChangeOptions {
  /** Services to roll, with two replicas each; default all. */
  readonly services?: readonly string[];
  /** Names of further client actions; default all. */
  readonly load?: Pick<MixedLoadOptions, "only" | "videos">;
  /** Further services to start; default all. */
  readonly beside?: readonly string[];
}

export interface RollReport extends ChangeReport {
  /** Time from each process's stop until it was ready again, milliseconds. */
  readonly restartMs: ReadonlyMap<string, number>;
}

const replicas = 2;
const wordMs = 1_000;
/** Longer than certificates and catalogues take to be reloaded. */
const takenOverMs = 7_000;
/** Like `minReadySeconds`: the other services have reconnected to a replica before the next one stops. */
const betweenMs = 3_000;
const addedModel = "added-while-running";

const modelEntry = `
  - id: ${addedModel}
    owned_by: openai
    display_name: Added while running
    created: 2024-07-18
    operations: [chat.completions]
    context_tokens: 128000
    max_output_tokens: 16384
    input: [text]
    price: { input_tokens: 1, output_tokens: 1 }
    upstreams: [{ provider: openai, model: gpt-4o-mini }]
`;

/** Checks that a model added to the catalogue is served without a restart. */
async function changeCatalog({ dataDir, client }: TestFleet): Promise<void> {
  await appendFile(catalogOf(dataDir), modelEntry);
  const served = async (): Promise<boolean> => {
    const messages = [{ role: "user", content: "Hello!" }];
    return (await client.post("/v1/chat/completions", { model: addedModel, messages })).status === 200;
  };
  await waitFor(served, { everyMs: 200, what: "the added model" });
}

async function rollProcess(fleet: TestFleet, name: string, tally: Tally): Promise<number> {
  tally.during = `the restart of ${name}`;
  const began = performance.now();
  // Each release also changes a setting.
  await fleet.processes.restart(name, { LOG_LEVEL: "info" });
  const ms = performance.now() - began;
  await sleep(betweenMs);
  return ms;
}

/**
 * Restarts every process in order, one after another, under the load of all client actions; changes
 * the catalogue and replaces every certificate. No request may fail, and the books must be exact.
 */
export async function roll(options: RollOptions): Promise<RollReport> {
  const { dataDir, random, streamSeconds, services = rolled, beside, load: others, report } = options;
  const drainMs = graceFor(streamSeconds);
  await buildConsole({ report });
  const started = beside === undefined ? {} : { services: [...beside, ...services] };
  await using fleet = await startRollFleet({ dataDir, replicas, replicated: services, drainMs, wordMs, ...started });
  const load = new MixedLoad({ fleet, clients: await clientsOf(fleet), random, words: streamSeconds, ...others });
  const { tally } = load;
  const restartMs = new Map<string, number>();
  try {
    await sleep(takenOverMs);
    tally.during = "a change of the catalogue";
    await changeCatalog(fleet);
    tally.during = "a change of certificates";
    await renewCertificates(dataDir);
    await sleep(takenOverMs);
    for (const service of services) {
      for (const name of replicaNames(service, replicas)) {
        const ms = await rollProcess(fleet, name, tally);
        restartMs.set(name, ms);
        report(`${name} restarted in ${(ms / 1_000).toFixed(1)} s: ${tally.sum} done, ${tally.failed} failed`);
      }
    }
  } finally {
    await load.stop();
  }
  report(`The longest stream took ${load.longest.toFixed(1)} s, the drain period was ${drainMs / 1_000} s.`);
  const figures = await collectFigures(fleet, {
    responses: load.responses,
    violations: [...tally.violations(), ...unexpectedEnds(fleet)],
    waitMs: 120_000,
  });
  return { figures, done: tally.done, failed: tally.failed, restartMs };
}
