import { setTimeout as sleep } from "node:timers/promises";
import { readBooks } from "@uag/harness/audit/billed";
import { setFault } from "@uag/harness/fleet/faults";
import { type LimitedKey, newKey, topUp } from "@uag/harness/fleet/limited-key";
import { startTestFleet, type TestFleet } from "@uag/harness/fleet/with-fleet";
import { seededRandom } from "@uag/harness/testing/seeded-random";
import { collectFigures, type Figures } from "./figures.ts";
import { type Funds, openFunds } from "./funds.ts";
import { killPeriodically } from "./kills.ts";
import { Load, type LoadResponse } from "./load.ts";
import { addPool, pooledModel } from "./pool.ts";

export interface SoakOptions {
  readonly minutes: number;
  readonly seed: number;
  /** Approximate interval between kills. */
  readonly killEveryMs: number;
  readonly dataDir: string;
  /** Receives a progress line from time to time. */
  report(line: string): void;
}

const perMinute = 300;
const atOnce = 4;
const concurrentModel = "gpt-4.1-mini";
/** Its provider continues when a client disconnects, and charges for the whole response. */
const continuingModel = "gemini-2.5-flash";
const progressMs = 10_000;
/** The key of an envelope is refused when it is used up, and unknown once it is closed. */
const envelopeEnds = /^(402 envelope_exhausted|401 invalid_api_key)$/;
/**
 * A second shorter than the limit's window: some time may pass between the use of a permit and its
 * record.
 */
const windowMs = 59_000;

/** Every process except the simulator, whose log is the record of what was served. */
const killed = ["router", "chat", "chat-2", "chat-3", "billing", "metering", "nats-server", "mongod"];

interface Loads extends AsyncDisposable {
  readonly all: readonly Load[];
  /** With the keys of envelopes. */
  readonly agents: Load;
  readonly limited: LimitedKey;
}

const simple = ["json", "stream", "abort", "disconnect"] as const;

/** A load whose money is topped up a little at a time. */
function loadOf({ clients, body = {}, seen }: Funds, random: () => number): Load {
  return new Load({ clients, kinds: simple, concurrency: 4, random, body, seen: ({ outcome }) => seen(outcome) });
}

async function startLoads(fleet: TestFleet, random: () => number): Promise<Loads> {
  const limited = await newKey(fleet, { requestsPerMinute: BigInt(perMinute) });
  const narrow = await newKey(fleet, { concurrentRequests: BigInt(atOnce) });
  await setFault(fleet.run.simulator_url, { "abort-bills": 1 }, { model: `${continuingModel}*` });
  const mixed = [
    "json",
    "stream",
    "messages",
    "gemini",
    "vectors",
    "disconnect",
    "abort",
    "retry",
    "json",
    "stream",
  ] as const;
  const aborting = ["disconnect", "abort", "stream"] as const;
  await addPool(fleet);
  await using stack = new AsyncDisposableStack();
  const level = stack.use(await openFunds(fleet, "level"));
  const agents = loadOf(stack.use(await openFunds(fleet, "envelope")), random);
  const all = [
    new Load({ clients: [fleet.client], kinds: mixed, concurrency: 12, random }),
    new Load({ clients: [limited.client], kinds: ["json", "stream"], concurrency: 4, random }),
    new Load({ clients: [narrow.client], kinds: ["stream"], concurrency: 8, random, model: concurrentModel }),
    new Load({ clients: [fleet.client], kinds: aborting, concurrency: 4, random, model: continuingModel }),
    new Load({
      clients: [fleet.client],
      kinds: simple,
      concurrency: 4,
      random,
      model: pooledModel,
      body: { max_tokens: 64 },
    }),
    loadOf(level, random),
    agents,
  ];
  const funds = stack.move();
  return { all, agents, limited, [Symbol.asyncDispose]: () => funds.disposeAsync() };
}

const sumOf = (loads: readonly Load[], outcome: RegExp): number =>
  loads.reduce((sum, { counts }) => {
    for (const [name, count] of counts) if (outcome.test(name)) sum += count;
    return sum;
  }, 0);

/** The number of a key's requests beyond its limit in the worst minute. */
function overAdmittedIn(startedAtMs: readonly number[], limit: number): number {
  const times = startedAtMs.toSorted((a, b) => a - b);
  let [worst, first] = [0, 0];
  times.forEach((time, n) => {
    while (time - (times[first] as number) >= windowMs) first++;
    worst = Math.max(worst, n - first + 1);
  });
  return Math.max(0, worst - limit);
}

/**
 * Based on the admission times in the bills, and on the upstream's own maximum of concurrent
 * requests, which end when a killed process's connection does.
 */
async function overAdmitted(fleet: TestFleet, limited: LimitedKey): Promise<number> {
  const { billed } = await readBooks(fleet.run);
  const mine = billed.filter(({ keyId }) => keyId === limited.key.id);
  const stats = (await (await fetch(`${fleet.run.simulator_url}/sim/stats`)).json()) as {
    models: Record<string, { max: number }>;
  };
  const gauges = Object.entries(stats.models).filter(([name]) => name.startsWith(concurrentModel));
  const beyond = gauges.map(([, { max }]) => Math.max(0, max - atOnce));
  return (
    overAdmittedIn(
      mine.map(({ startedAtMs }) => startedAtMs),
      perMinute,
    ) + Math.max(0, ...beyond)
  );
}

/**
 * Process ends other than by our kills, such as a failed start while the database was down; each
 * once, with its count.
 */
function unexpectedEnds(lines: readonly string[]): string[] {
  const ends = lines.flatMap((line) => /^.* ended \((?!SIGKILL).*?\)/.exec(line)?.[0] ?? []);
  return [...Map.groupBy(ends, (line) => line)].map(([line, same]) => `${line}: ${same.length} times`);
}

/** Mixed load while one process after another is killed with SIGKILL; then the figures. */
export async function soak(options: SoakOptions): Promise<Figures> {
  const { minutes, seed, killEveryMs, dataDir, report } = options;
  const random = seededRandom(seed);
  await using fleet = await startTestFleet({
    dataDir,
    services: ["billing", "metering", "chat", "router"],
    replicas: { chat: 3 },
    env: { LOG_LEVEL: "warn" },
  });
  await topUp(fleet, 1_000_000_000_000n, "soak");
  await using loads = await startLoads(fleet, random);
  const { all, agents, limited } = loads;
  const stop = new AbortController();
  let kills = 0;
  const killing = killPeriodically(fleet, {
    names: killed,
    everyMs: killEveryMs,
    random: seededRandom(seed + 1),
    signal: stop.signal,
    killed: () => kills++,
  });
  const began = performance.now();
  while (performance.now() - began < minutes * 60_000) {
    await sleep(Math.min(progressMs, minutes * 60_000));
    const seconds = Math.round((performance.now() - began) / 1_000);
    const responses = all.reduce((sum, load) => sum + load.responses.length, 0);
    const [completed, refused] = [sumOf(all, /^completed$/), sumOf(all, /^\d/)];
    report(
      `${seconds} s: ${kills} kills, ${responses} requests, ${completed} completed, ${sumOf(all, /^aborted$/)} aborted, ${sumOf(all, /^broken$/)} broken, ${refused} refused`,
    );
  }
  stop.abort();
  await killing;
  await Promise.all(killed.map((name) => fleet.processes.ready(name)));
  await Promise.all(all.map((load) => load.stop()));
  const responses: LoadResponse[] = all.flatMap((load) => load.responses);
  const wrong = all.flatMap((load) =>
    [...load.counts.keys()].filter((name) => name.startsWith("40") && !(load === agents && envelopeEnds.test(name))),
  );
  const figures = await collectFigures(fleet, {
    responses: responses,
    kills,
    overAdmitted: await overAdmitted(fleet, limited),
    waitMs: 150_000,
    violations: [...new Set(wrong)].map((outcome) => `A valid request ended with "${outcome}".`),
  });
  for (const line of unexpectedEnds(fleet.lines)) report(line);
  return figures;
}
