import { setTimeout as sleep } from "node:timers/promises";
import { readBooks } from "@uag/harness/audit/billed";
import { newKey } from "@uag/harness/fleet/limited-key";
import type { TestFleet } from "@uag/harness/fleet/with-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import { collectFigures, type Figures } from "./figures.ts";
import { Load, receipt } from "./load.ts";
import type { Proof, ProofOptions } from "./proof.ts";

const mongod = "mongod";
const concurrency = 12;
/** Runs take a fraction of a second, so kills hit most moments of a run. */
const killEveryMs = 3_000;

/** Repeatedly kills MongoDB at random moments, and waits for its return each time. */
async function killForSeconds({ fleet, seconds, random }: ProofOptions): Promise<number> {
  const end = performance.now() + seconds * 1_000;
  let kills = 0;
  while (performance.now() < end) {
    await sleep(killEveryMs * (0.5 + random()));
    await fleet.processes.kill(mongod);
    kills++;
    await fleet.processes.ready(mongod, { timeoutMs: 60_000 });
  }
  return kills;
}

/** Number of a key's requests with a cost. */
async function paidBy(fleet: TestFleet, keyId: string): Promise<number> {
  const { billed } = await readBooks(fleet.run);
  return billed.filter((one) => one.keyId === keyId && one.costNanoUsd > 0n).length;
}

/**
 * Every request has an idempotency key and is resent under it until it gets a response: each key is
 * charged once.
 */
async function run(options: ProofOptions): Promise<Figures> {
  const { fleet, random } = options;
  const { key, client } = await newKey(fleet, {});
  const load = new Load({ clients: [client], kinds: ["retry"], concurrency, random });
  let kills = 0;
  try {
    await waitFor(() => load.completed >= concurrency, {
      timeoutMs: 60_000,
      what: "responses before MongoDB is killed",
    });
    kills = await killForSeconds(options);
  } finally {
    await load.stop();
  }
  const figures = await collectFigures(fleet, { responses: load.responses, kills, waitMs: 90_000 });
  const { counts, responses } = load;
  const wrong = [...counts].filter(([outcome]) => outcome !== "completed" && outcome !== receipt);
  const violations = wrong.map(([outcome, count]) => `${count} idempotency keys ended with "${outcome}".`);
  const paid = await paidBy(fleet, key.id);
  if (paid !== responses.length)
    violations.push(`${responses.length} idempotency keys got a response, but ${paid} requests were charged.`);
  return { ...figures, violations: [...figures.violations, ...violations] };
}

export const keyedRuns: Proof = {
  name: "keyed-runs",
  about: "MongoDB is killed repeatedly under idempotency keys: each key gets its response and is charged once",
  seconds: 60,
  run,
};
