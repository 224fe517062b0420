import { addCounts, type CrashCounts, type Source, type Stage } from "./crash-counts.ts";
import type { LedgerArchive } from "./ledger-archive.ts";
import type { PoolCounts } from "./pool.ts";
import type { UsageArchive } from "./usage-archive.ts";
import { settled, World } from "./world.ts";

export interface SimulationOptions {
  readonly steps: number;
  readonly seed: number;
  /** Called from time to time with the number of steps done. */
  readonly report?: (steps: number) => void;
}

export interface SimulationReport {
  readonly steps: number;
  readonly worlds: number;
  readonly requests: number;
  readonly crashes: number;
  /** The requests in flight in processes that died. */
  readonly deaths: CrashCounts;
  /** Amounts written off, and repaid by top-ups, nano-USD. */
  readonly repaid: bigint;
  /** Grants refused because the account owed too much. */
  readonly refusedForOwed: number;
  /** Grants refused because a key's budget was used up. */
  readonly refusedForBudget: number;
  /** Grants refused because a budget that keys share was used up. */
  readonly refusedForSharedBudget: number;
  /** Grants refused because an envelope was used up or had ended. */
  readonly refusedForEnvelope: number;
  readonly envelopes: EnvelopeCounts;
  /** The calls with the credentials of a pool. */
  readonly pool: PoolCounts;
  readonly usageArchive: ArchiveCounts;
  readonly ledgerArchive: ArchiveCounts;
  /** Requests refused by a process whose clock was wrong. */
  readonly refusedForClock: number;
}

interface EnvelopeCounts {
  opened: number;
  closed: number;
  /** Number of those that ended without being closed. */
  expired: number;
}

interface ArchiveCounts {
  /** Number of recorded files. */
  files: number;
  /** Number of archivers killed while archiving. */
  killed: number;
  /** Number of archivers that lost their lease or a race. */
  fenced: number;
}

function addArchive(sum: ArchiveCounts, { files, archivers }: UsageArchive | LedgerArchive): void {
  sum.files += files;
  sum.killed += archivers.killed;
  sum.fenced += archivers.fenced;
}

/** A violation, with the steps that led to it. */
class SimulationFailure extends Error {
  override readonly name = "SimulationFailure";
}

type Step = Exclude<
  keyof World & string,
  | "truth"
  | "random"
  | "crashes"
  | "deaths"
  | "network"
  | "store"
  | "permits"
  | "metering"
  | "archives"
  | "requests"
  | "tasks"
  | "envelopes"
  | "check"
  | "checkBooks"
  | "finish"
  | "begins"
>;

const weights: Readonly<Record<Step | "deliver", number>> = {
  deliver: 40,
  begin: 14,
  end: 11,
  flush: 18,
  firstByte: 30,
  checkpoint: 3,
  disconnect: 6,
  beginTask: 1.5,
  goOnWithTask: 5,
  openEnvelope: 0.8,
  closeEnvelope: 0.3,
  publish: 4,
  apply: 5,
  confirm: 3,
  tick: 7,
  reap: 2,
  adopt: 1,
  pass: 12,
  topUp: 0.6,
  crash: 1,
  reboot: 0.05,
  pause: 0.8,
  suspend: 0.3,
  jump: 0.3,
  wipe: 0.2,
  archive: 10,
  pauseArchiver: 0.7,
  killArchiver: 0.05,
  invoice: 0.5,
  changeLimit: 0.2,
  breakDisk: 0.15,
  mendDisk: 0.6,
  removeLock: 0.1,
};
const names = Object.keys(weights) as (keyof typeof weights)[];
const total = names.reduce((sum, name) => sum + weights[name], 0);
const stepsInWorld = 4_000;
const checkEvery = 50;
const traced = 60;

function choose(world: World): Step | "deliver" {
  let at = (world.random(1_000_000) / 1_000_000) * total;
  for (const name of names) {
    at -= weights[name];
    if (at < 0) return name;
  }
  return "deliver";
}

/** Runs one world from start to finish. @throws {SimulationFailure} */
async function runWorld(seed: number, steps: number): Promise<World> {
  const world = new World(seed);
  const trace: string[] = [];
  let done = 0;
  try {
    for (; done < steps; done++) {
      const step = choose(world);
      await world.begins();
      const what = step === "deliver" ? world.network.deliver() : await world[step]();
      trace.push(what === undefined ? step : `deliver ${what}`);
      if (trace.length > 2 * traced) trace.splice(0, traced);
      await settled();
      world.check();
      if (done % checkEvery === 0) world.checkBooks();
    }
    world.checkBooks();
    await world.finish();
    world.check();
  } catch (error) {
    const last = trace.slice(-traced).join("\n  ");
    const again = `npm run simulate -- --seed ${seed} --steps ${steps}`;
    const reason = error instanceof Error ? error.message : String(error);
    const text = `Seed ${seed} failed after ${done} steps: ${reason}\nIts last steps:\n  ${last}\nRepeat: ${again}`;
    throw new SimulationFailure(text, { cause: error });
  }
  return world;
}

/**
 * Runs the real admission, wallets, limits, journal records and ledger against lost, duplicated and
 * reordered messages, crashes, pauses and clock jumps: one world after another, each with the next
 * seed.
 * @throws {SimulationFailure} with the trace of the first violation
 */
export async function simulate({ steps, seed, report }: SimulationOptions): Promise<SimulationReport> {
  const sum = {
    steps: 0,
    worlds: 0,
    requests: 0,
    crashes: 0,
    deaths: new Map<`${Stage} ${Source}`, number>(),
    repaid: 0n,
    refusedForOwed: 0,
    refusedForBudget: 0,
    refusedForSharedBudget: 0,
    refusedForEnvelope: 0,
    envelopes: { opened: 0, closed: 0, expired: 0 },
    pool: { calls: 0, rejections: 0, refused: 0 },
    refusedForClock: 0,
    usageArchive: { files: 0, killed: 0, fenced: 0 },
    ledgerArchive: { files: 0, killed: 0, fenced: 0 },
  };
  while (sum.steps < steps) {
    const length = Math.min(stepsInWorld, steps - sum.steps);
    const world = await runWorld(seed + sum.worlds, length);
    sum.steps += length;
    sum.worlds++;
    sum.requests += world.truth.requests.size;
    sum.crashes += world.crashes;
    addCounts(sum.deaths, world.deaths.counts);
    sum.repaid += world.store.account.repaid;
    sum.refusedForOwed += world.store.refusedForOwed;
    sum.refusedForBudget += world.store.refusedForBudget;
    sum.refusedForSharedBudget += world.store.refusedForSharedBudget;
    sum.refusedForEnvelope += world.store.refusedForEnvelope;
    sum.envelopes.opened += world.envelopes.opened;
    sum.envelopes.closed += world.envelopes.closed;
    sum.envelopes.expired += world.envelopes.expired;
    for (const name of ["calls", "rejections", "refused"] as const) sum.pool[name] += world.requests.pool.counts[name];
    sum.refusedForClock += world.requests.refusedForClock;
    addArchive(sum.usageArchive, world.archives.usage);
    addArchive(sum.ledgerArchive, world.archives.ledger);
    report?.(sum.steps);
  }
  return sum;
}
