import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { waitFor } from "@uag/harness/testing/wait-for";
import { MongoClient } from "mongodb";
import { collectFigures, type Figures } from "../soak/figures.ts";
import { clientsOf, startRollFleet } from "./fleet.ts";
import { MixedLoad } from "./mixed-load.ts";
import { mongodOf, natsOf, type ReplicatedEngines, startReplicatedEngines } from "./replicated-engines.ts";

export interface EnginesOptions {
  readonly dataDir: string;
  readonly random: () => number;
  /** How long a server is down. */
  readonly seconds: number;
  report(line: string): void;
}

const services = ["billing", "metering", "chat", "video", "router"];
const replicas = 2;
const wordMs = 250;
const wordCount = 20;
const drainMs = 8_000;
const restMs = 5_000;
/** How long another member may take to catch up with the primary. */
const catchUpSeconds = 10;
/** A secondary, the primary, and each server of NATS. */
const kills = 5;

interface Loss {
  readonly name: string;
  cause(engines: ReplicatedEngines, seconds: number): Promise<void>;
}

/** Kills a server with SIGKILL and restarts it. */
async function lose({ processes }: ReplicatedEngines, name: string, seconds: number): Promise<void> {
  await processes.takeDown(name);
  await sleep(seconds * 1_000);
  await processes.restart(name);
}

async function backToThree(engines: ReplicatedEngines): Promise<void> {
  const whole = async (): Promise<boolean> => (await engines.membersOf("SECONDARY").catch(() => [])).length === 2;
  await waitFor(whole, { everyMs: 500, what: "all three members" });
}

const losses: readonly Loss[] = [
  {
    name: "the step-down of MongoDB's primary",
    async cause(engines, seconds) {
      const [before] = await engines.membersOf("PRIMARY");
      await using client = new MongoClient(engines.mongodbUrl);
      await client
        .db("admin")
        .command({ replSetStepDown: seconds + catchUpSeconds, secondaryCatchUpPeriodSecs: catchUpSeconds });
      const another = async (): Promise<boolean> =>
        (await engines.membersOf("PRIMARY").catch(() => [])).some((name) => name !== before);
      await waitFor(another, { everyMs: 200, what: "a new primary" });
    },
  },
  {
    name: "the loss of a secondary",
    async cause(engines, seconds) {
      const [secondary = mongodOf(1)] = await engines.membersOf("SECONDARY");
      await lose(engines, secondary, seconds);
      await backToThree(engines);
    },
  },
  {
    name: "the loss of the primary",
    async cause(engines, seconds) {
      const [primary = mongodOf(1)] = await engines.membersOf("PRIMARY");
      // Longer than the others take to elect a primary.
      await lose(engines, primary, seconds + 12);
      await backToThree(engines);
    },
  },
  ...[1, 2, 3].map((member) => ({
    name: `the loss of NATS server ${member}`,
    cause: (engines: ReplicatedEngines, seconds: number) => lose(engines, natsOf(member), seconds),
  })),
];

/** The only failure that a client may see while an engine is down; no successful request may be lost. */
const isUnavailable = (what: string): boolean => /^(?:Error: )?503\b/.test(what);

/** Kills the servers of each engine one after another under load: nothing is lost or duplicated. */
export async function engines(options: EnginesOptions): Promise<Figures> {
  const { dataDir, random, seconds, report } = options;
  await using replicated = await startReplicatedEngines(join(dataDir, "engines"));
  const { mongodbUrl, natsUrl } = replicated;
  const env = { STREAM_REPLICAS: "3" };
  const started = { dataDir, services, replicas, drainMs, wordMs, mongodbUrl, natsUrl, env };
  await using fleet = await startRollFleet(started);
  const load = new MixedLoad({
    fleet,
    clients: await clientsOf(fleet),
    random,
    words: wordCount,
    only: ["models", "admin"],
    allowed: isUnavailable,
  });
  const { tally } = load;
  try {
    await sleep(restMs);
    for (const { name, cause } of losses) {
      const { sum, refused, failed } = tally;
      tally.during = name;
      await cause(replicated, seconds);
      await sleep(restMs);
      const meanwhile = `${tally.refused - refused} refused with 503, ${tally.failed - failed} failed`;
      report(`${name}: ${tally.sum - sum} done, ${meanwhile}`);
    }
  } finally {
    await load.stop();
  }
  for (const line of fleet.lines) report(line);
  return collectFigures(fleet, {
    responses: load.responses,
    kills,
    violations: tally.violations(),
    waitMs: 120_000,
  });
}
