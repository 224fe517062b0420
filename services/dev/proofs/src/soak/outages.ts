import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { TestFleet } from "@uag/harness/fleet/with-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import { MongoClient } from "mongodb";
import { onFailingDisk } from "./disk.ts";
import { collectFigures, type Figures } from "./figures.ts";
import { Load, type RequestKind, receipt } from "./load.ts";
import { databasePath, type Proof, type ProofOptions } from "./proof.ts";
import { onFullVolume } from "./volume.ts";

const concurrency = 12;
const warmUp = 2 * concurrency;

const everyKind: readonly RequestKind[] = ["json", "stream", "messages", "disconnect", "retry"];
/** Without clients that retry, which would hide the refusals. */
const impatient: readonly RequestKind[] = ["json", "stream", "messages", "disconnect"];

interface Outage {
  /** Default: every kind. */
  readonly kinds?: readonly RequestKind[];
  /** Causes a failure, waits, and repairs it. Returns how many processes it killed. */
  readonly during: (options: ProofOptions) => Promise<number>;
  /** Allowed outcomes other than completion and a disconnect by the client. */
  readonly allowed: (outcome: string) => boolean;
  /** An expected effect that was missing; undefined if there was none. */
  readonly missing?: (load: Load) => string | undefined;
}

/**
 * Runs mixed load before, during and after an outage; then collects the figures, with every outcome
 * that was not allowed.
 */
async function underLoad(options: ProofOptions, outage: Outage): Promise<Figures> {
  const { fleet, random } = options;
  const load = new Load({ clients: [fleet.client], kinds: outage.kinds ?? everyKind, concurrency, random });
  let kills = 0;
  try {
    await waitFor(() => load.completed >= warmUp, { timeoutMs: 60_000, what: "responses before the outage" });
    kills = await outage.during(options);
    const before = load.completed;
    await waitFor(() => load.completed >= before + warmUp, { timeoutMs: 60_000, what: "responses after the outage" });
  } finally {
    await load.stop();
  }
  const usual = ["completed", "aborted", receipt];
  const wrong = [...load.counts].filter(([outcome]) => !usual.includes(outcome) && !outage.allowed(outcome));
  const violations = wrong.map(([outcome, count]) => `${count} requests ended with "${outcome}".`);
  const missing = outage.missing?.(load);
  if (missing !== undefined) violations.push(missing);
  const hasty = load.responses.filter(
    ({ outcome, headers }) => outcome.startsWith("503") && !headers?.has("retry-after"),
  );
  if (hasty.length > 0) violations.push(`${hasty.length} refusals with 503 have no retry-after.`);
  return collectFigures(fleet, { responses: load.responses, kills, violations, waitMs: 90_000 });
}

/** Takes a process down, runs `meanwhile`, and brings it back. */
async function down(fleet: TestFleet, name: string, meanwhile: () => Promise<unknown>): Promise<number> {
  await fleet.processes.takeDown(name);
  await meanwhile();
  await fleet.processes.restart(name);
  return 1;
}

const nothing = (): boolean => false;
/** Messages have an overload error instead. */
const unavailable = (outcome: string): boolean => /^503 (service_unavailable|overloaded_error)$/.test(outcome);

/** Makes the only member of the replica set step down for a while: it is elected again. */
async function stepDown({ fleet, seconds }: ProofOptions): Promise<number> {
  const client = new MongoClient(fleet.run.mongodb_url);
  try {
    await client.db("admin").command({ replSetStepDown: seconds, force: true });
  } catch (error) {
    // The primary closes its connections while it responds.
    if (!(error instanceof Error) || !error.name.startsWith("Mongo")) throw error;
  } finally {
    await client.close();
  }
  await fleet.processes.ready("mongod", { timeoutMs: seconds * 1_000 + 60_000 });
  return 0;
}

/**
 * Fills MongoDB's volume: MongoDB exits when it cannot write, and does not start until there is
 * space again.
 */
async function fillDatabase({ fleet, seconds }: ProofOptions): Promise<number> {
  const before = fleet.processes.restarts("mongod");
  await onFullVolume(databasePath(fleet.dataDir), () => sleep(seconds * 1_000));
  await fleet.processes.ready("mongod", { timeoutMs: 60_000 });
  return fleet.processes.restarts("mongod") - before;
}

/** A stream whose bill cannot be written is interrupted, so the client does not receive all of it. */
const unbillable = (outcome: string): boolean => unavailable(outcome) || outcome === "broken";

const refusedWithout = (load: Load): string | undefined =>
  [...load.counts.keys()].some(unavailable) ? undefined : "No request was refused, although grants must have run out.";

export const outages: readonly Proof[] = [
  {
    name: "nats-down",
    about: "NATS is down under load: no user error, nothing lost",
    seconds: 60,
    run: (options) =>
      underLoad(options, {
        during: ({ fleet, seconds }) => down(fleet, "nats-server", () => sleep(seconds * 1_000)),
        allowed: nothing,
      }),
  },
  {
    name: "stream-wiped",
    about: "JetStream's store is deleted during the run: no user error, nothing lost",
    seconds: 5,
    run: (options) =>
      underLoad(options, {
        during: ({ fleet, seconds }) =>
          down(fleet, "nats-server", async () => {
            await rm(join(fleet.dataDir, "nats/jetstream"), { recursive: true });
            await sleep(seconds * 1_000);
          }),
        allowed: nothing,
      }),
  },
  {
    name: "disk-full",
    about: "the journals' disk is full: only 503s, nothing lost, and requests succeed when there is space again",
    seconds: 30,
    run: (options) =>
      underLoad(options, {
        during: async ({ fleet, seconds }) => {
          await onFailingDisk(fleet, "ENOSPC mkdir open write sync rename", () => sleep(seconds * 1_000));
          return 0;
        },
        allowed: unbillable,
        missing: (load) =>
          [...load.counts.keys()].some(unbillable)
            ? undefined
            : "No request was refused, although nothing could be written.",
        kinds: impatient,
      }),
  },
  {
    name: "mongod-stepdown",
    about: "MongoDB has no primary for a while: no overdraft, no 402, only 503s",
    seconds: 15,
    run: (options) => underLoad(options, { during: stepDown, allowed: unavailable, kinds: impatient }),
  },
  {
    name: "mongod-down",
    about: "MongoDB is down for longer than grants last: 503 with retry-after, never 402",
    seconds: 45,
    run: (options) =>
      underLoad(options, {
        during: ({ fleet, seconds }) => down(fleet, "mongod", () => sleep(seconds * 1_000)),
        allowed: unavailable,
        missing: refusedWithout,
        kinds: impatient,
      }),
  },
  {
    name: "mongod-disk-full",
    about:
      "MongoDB's disk is full: only 503s, nothing lost, and requests succeed when there is space again (requires root)",
    seconds: 90,
    databaseBytes: 700 * 1_024 * 1_024,
    run: (options) =>
      underLoad(options, {
        during: fillDatabase,
        allowed: unavailable,
        missing: refusedWithout,
        kinds: impatient,
      }),
  },
];
