import { setTimeout as sleep } from "node:timers/promises";
import { topUp } from "@uag/harness/fleet/limited-key";
import type { TestFleet } from "@uag/harness/fleet/with-fleet";
import { MongoClient } from "mongodb";
import { billedResponses, collectFigures, type Figures } from "./figures.ts";
import { Load, receipt } from "./load.ts";
import { connectNats } from "./nats.ts";
import type { Proof, ProofOptions } from "./proof.ts";

const usualPerSecond = 500;
const concurrency = 64;
const money = 1_000_000_000_000n;
/** How long the rate before the outage is measured, at most. */
const maxBeforeMs = 10_000;
const pollMs = 200;
const idsAtOnce = 1_000;
/** Far longer than settling may take; beyond it, nothing is being settled. */
const maxBacklogMs = 900_000;

/** The ids of `requestIds` that are not in the ledger yet. */
async function unsettledOf(client: MongoClient, requestIds: readonly string[]): Promise<string[]> {
  const ledger = client.db("billing").collection<{ _id: string }>("ledger");
  const settled = new Set<string>();
  for (let n = 0; n < requestIds.length; n += idsAtOnce) {
    const ids = requestIds.slice(n, n + idsAtOnce).map((id) => `settle:${id}`);
    for await (const { _id } of ledger.find({ _id: { $in: ids } }, { projection: { _id: 1 } })) settled.add(_id);
  }
  return requestIds.filter((id) => !settled.has(`settle:${id}`));
}

/** Waits until all requests are settled. */
async function settle(client: MongoClient, requestIds: readonly string[]): Promise<void> {
  const began = performance.now();
  // Requests are settled roughly in order, so checking the first suffices until they are settled.
  for (let waiting = requestIds; waiting.length > 0; ) {
    if (performance.now() - began > maxBacklogMs) throw new Error(`${waiting.length} requests were not settled.`);
    await sleep(pollMs);
    const first = await unsettledOf(client, waiting.slice(0, idsAtOnce));
    waiting = first.length > 0 ? [...first, ...waiting.slice(idsAtOnce)] : await unsettledOf(client, waiting);
  }
}

/** Runs `work`, and reports the rate of ended requests meanwhile. */
async function rateDuring(load: Load, work: () => Promise<unknown>): Promise<{ perSecond: number; seconds: number }> {
  const [began, already] = [performance.now(), load.responses.length];
  await work();
  const seconds = (performance.now() - began) / 1_000;
  return { perSecond: Math.round((load.responses.length - already) / seconds), seconds };
}

/** Size of all messages that wait in JetStream, which are only usage. */
async function streamBytes(fleet: TestFleet): Promise<number> {
  await using nats = await connectNats(fleet);
  const manager = await nats.jetstreamManager({ checkAPI: false });
  let bytes = 0;
  for await (const { state } of manager.streams.list()) bytes += state.bytes;
  return bytes;
}

interface Course {
  readonly rates: readonly number[];
  readonly waiting: number;
  readonly waitingBytes: number;
  readonly backlogSeconds: number;
}

async function takeAway(fleet: TestFleet, load: Load, outageMs: number): Promise<Course> {
  await using client = new MongoClient(fleet.run.mongodb_url);
  const before = await rateDuring(load, () => sleep(Math.min(maxBeforeMs, outageMs)));
  await fleet.processes.takeDown("metering");
  const during = await rateDuring(load, () => sleep(outageMs));
  const waiting = await unsettledOf(
    client,
    billedResponses(load.responses).map(({ requestId }) => requestId),
  );
  const waitingBytes = await streamBytes(fleet);
  const after = await rateDuring(load, async () => {
    await fleet.processes.restart("metering");
    await settle(client, waiting);
  });
  return {
    rates: [before, during, after].map(({ perSecond }) => perSecond),
    waiting: waiting.length,
    waitingBytes,
    backlogSeconds: after.seconds,
  };
}

/** Runs a load before, during and after an outage of metering. */
async function proveMeteringDown(options: ProofOptions): Promise<Figures> {
  const { fleet, seconds, random, perSecond = usualPerSecond } = options;
  await topUp(fleet, money, "metering-down");
  const kinds = ["json", "stream", "messages", "disconnect", "retry"] as const;
  const load = new Load({ clients: [fleet.client], kinds, concurrency, random, perSecond });
  const course = await takeAway(fleet, load, seconds * 1_000).finally(() => load.stop());
  const usual = ["completed", "aborted", receipt];
  const violations = [...load.counts]
    .filter(([outcome]) => !usual.includes(outcome))
    .map(([outcome, count]) => `${count} requests ended with "${outcome}".`);
  if (course.waiting === 0) violations.push("No usage was waiting when metering came back.");
  const figures = await collectFigures(fleet, { responses: load.responses, kills: 1, violations, waitMs: 180_000 });
  const [before, during, after] = course.rates;
  return {
    ...figures,
    notes: [
      `${before} requests/s before, ${during} during ${seconds} s without metering, ${after} after`,
      `${course.waiting} requests were waiting at ${Math.round(course.waitingBytes / course.waiting)} bytes of JetStream each, and were settled within ${course.backlogSeconds.toFixed(1)} s of metering's start`,
    ],
  };
}

export const meteringDown: Proof = {
  name: "metering-down",
  about: "metering is down under load: no user error, and its backlog is settled soon under continued load",
  seconds: 300,
  run: proveMeteringDown,
};
