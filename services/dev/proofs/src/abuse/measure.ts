import type { TestFleet } from "@uag/harness/fleet/with-fleet";
import { type Attack, attacksOn } from "./attacks.ts";
import { signInAsMember, signInAsOperator } from "./console-member.ts";
import { type Effects, Gauges } from "./gauges.ts";
import { UnfundedKeys } from "./poor-keys.ts";
import { createRecords } from "./records.ts";
import { attackOf, type LargeResponse, largeResponses, located, storedResponses } from "./responses.ts";
import { type Outcome, type SendOptions, send } from "./send.ts";
import { type Target, targets } from "./targets.ts";
import type { ThirdParty } from "./third-party.ts";
import type { TurnProbes } from "./turns.ts";

/** The allowed effect of a key without money on other clients. */
export const limits = { stallMs: 50, growthMiB: 200 } as const;

/** The result of one attack. */
export interface Row extends Effects {
  readonly method: string;
  readonly path: string;
  readonly attack: string;
  /** Of each of the concurrent requests. */
  readonly outcomes: readonly Outcome[];
  /** The outcome without which nothing was measured; absent for attacks that may be refused. */
  readonly expects?: Outcome | undefined;
  readonly tookMs: number;
  /** Maximum memory growth of a process. */
  readonly growthLimitMiB: number;
  /** Requests to third parties, and the bytes that they sent. */
  readonly fetches: number;
  readonly fetchedMiB: number;
}

export interface MeasureOptions {
  readonly fleet: TestFleet;
  readonly thirdParty: ThirdParty;
  /** Probes of the fleet. */
  readonly turns: TurnProbes;
  /** Only paths that contain this. */
  readonly path: string;
  /** Only attacks whose name contains this. */
  readonly attack: string;
  readonly report: (row: Row) => void;
}

const timeoutMs = 20_000;
/** For the largest responses, which are generated and read to their end. */
const responseTimeoutMs = 120_000;

/** Accounts that send a burst. */
const burstAccounts = 5;
const maxMeasurements = 3;
/** For bursts, which may together use up the memory budget: what an idle service leaves of 1 GiB. */
const burstGrowthMiB = 800;

/** One request, or several concurrent ones, whose effect is measured. */
interface Trial {
  readonly attack: Attack;
  readonly target: Pick<Target, "method" | "path">;
  readonly headers: Readonly<Record<string, string>>;
  /** Keys that concurrent requests use in turn. */
  readonly keys: readonly string[];
  readonly timeoutMs: number;
  readonly growthLimitMiB: number;
  readonly expects?: Outcome;
}

async function run({ attack, target, headers, keys, timeoutMs }: Trial, baseUrl: string): Promise<Outcome[]> {
  const { parallel = 1 } = attack;
  const sent: Omit<SendOptions, "key"> = { baseUrl, headers, method: target.method, timeoutMs };
  return await Promise.all(
    Array.from({ length: parallel }, (_, at) => send(attack, { ...sent, key: keys[at % keys.length] as string })),
  );
}

/** Every attack by keys without money, then the largest responses to an account with money. */
async function* trials({ fleet, thirdParty, path, attack: wanted }: MeasureOptions): AsyncGenerator<Trial> {
  const keys = new UnfundedKeys(fleet.run);
  const { growthMiB: growthLimitMiB } = limits;
  const member = await signInAsMember(fleet.run, await keys.account());
  for (const target of targets()) {
    const headers = { ...target.headers, ...(target.signedIn && member) };
    if (!target.path.includes(path)) continue;
    for (const attack of attacksOn(target, thirdParty.url))
      if (attack.name.includes(wanted))
        yield { attack, target, headers, keys: [await keys.next()], timeoutMs, growthLimitMiB };
  }
  const funded = await Promise.all(Array.from({ length: burstAccounts }, () => keys.funded()));
  const chosen = [...largeResponses, ...storedResponses].filter(
    (large) => large.path.includes(path) && large.name.includes(wanted),
  );
  const needsRecords = chosen.some((large) => large.needsRecords);
  const records = needsRecords ? await createRecords(fleet, funded[0] as string) : undefined;
  const operator = needsRecords ? await signInAsOperator(fleet.run) : {};
  const senders: Readonly<Record<NonNullable<LargeResponse["as"]>, readonly string[]>> = {
    many: funded,
    administrator: [fleet.run.admin.token],
    operator: [""],
    anyone: [""],
  };
  for (const large of chosen.map((each) => located(each, records))) {
    const { as, expects = 200 } = large;
    yield {
      attack: attackOf(large),
      target: large,
      headers: { accept: "application/json, text/event-stream", ...(as === "operator" && operator) },
      keys: as === undefined ? funded.slice(0, 1) : senders[as],
      timeoutMs: large.timeoutMs ?? responseTimeoutMs,
      growthLimitMiB: as === "many" ? burstGrowthMiB : growthLimitMiB,
      expects,
    };
  }
}

/**
 * Runs every attack on every path, one after another, and measures the effect on others. Other load
 * can only lengthen a turn: an attack with too long a turn is measured again, up to three times in
 * all, and its last row counts.
 */
export async function measure(options: MeasureOptions): Promise<Row[]> {
  await using gauges = new Gauges(options.fleet, options.turns);
  const rows: Row[] = [];
  for await (const trial of trials(options)) {
    let row = await measured(trial, gauges, options);
    for (let again = 1; again < maxMeasurements && hasLongTurn(row); again++) {
      options.report(row);
      row = await measured(trial, gauges, options);
    }
    rows.push(row);
    options.report(row);
  }
  return rows;
}

async function measured(trial: Trial, gauges: Gauges, { fleet, thirdParty }: MeasureOptions): Promise<Row> {
  const before = { requests: thirdParty.requests, bytes: thirdParty.bytes };
  let outcomes: Outcome[] = [];
  let tookMs = 0;
  const effects = await gauges.during(async () => {
    const startedAt = performance.now();
    outcomes = await run(trial, fleet.run.base_url);
    tookMs = performance.now() - startedAt;
  });
  return {
    method: trial.target.method,
    path: trial.target.path,
    attack: trial.attack.name,
    outcomes,
    expects: trial.expects,
    tookMs,
    growthLimitMiB: trial.growthLimitMiB,
    ...effects,
    fetches: thirdParty.requests - before.requests,
    fetchedMiB: (thirdParty.bytes - before.bytes) / 1024 / 1024,
  };
}

/** The process with the longest stall or the most growth. */
function worstOf(values: Readonly<Record<string, number>>): [name: string, value: number] {
  const [worst] = Object.entries(values).sort(([, a], [, b]) => b - a);
  return worst ?? ["", 0];
}

const hasLongTurn = ({ stalls }: Row): boolean => worstOf(stalls)[1] > limits.stallMs;

/** Refusals beyond a limit or for want of memory; a tool of /mcp reports them as errors. */
const refusals: ReadonlySet<Outcome> = new Set([429, 503, "error"]);

/** Whether the expected outcome was reached. Of concurrent requests some may be refused, but not all. */
function wasMeasured({ outcomes, expects }: Row): boolean {
  if (expects === undefined) return true;
  return outcomes.includes(expects) && outcomes.every((outcome) => outcome === expects || refusals.has(outcome));
}

/** True when the effects are within the limits, and were measured. */
export function isWithin(row: Row): boolean {
  if (!wasMeasured(row) || hasLongTurn(row)) return false;
  return worstOf(row.growth)[1] <= row.growthLimitMiB && row.failedNeighbours.length === 0;
}

/** Such as `400`, or `400 x 18, 503 x 2`. */
function showOutcomes(outcomes: readonly Outcome[]): string {
  const counts = new Map<Outcome, number>();
  for (const outcome of outcomes) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  if (counts.size === 1) return String(outcomes[0]);
  return [...counts].map(([outcome, count]) => `${outcome} x ${count}`).join(", ");
}

/** One line for people. */
export function showRow(row: Row): string {
  const [stalledProcess, stallMs] = worstOf(row.stalls);
  const [grownProcess, growthMiB] = worstOf(row.growth);
  const cells = [
    isWithin(row) ? "ok  " : "OVER",
    `${row.method} ${row.path}`.padEnd(38),
    row.attack.padEnd(38),
    showOutcomes(row.outcomes).padStart(4),
    `${Math.round(row.tookMs)} ms`.padStart(9),
    `stall ${Math.round(stallMs)} ms ${stalledProcess}`.padEnd(24),
    `grew ${Math.round(growthMiB)} MiB ${grownProcess}`.padEnd(22),
    `others p99 ${Math.round(row.neighbourMs)} ms`.padEnd(20),
    row.fetches > 0 ? `${row.fetches} fetches, ${Math.round(row.fetchedMiB)} MiB` : "",
    row.failedNeighbours.length > 0
      ? `${row.failedNeighbours.length} other requests failed: ${row.failedNeighbours[0]}`
      : "",
  ];
  return cells.join("  ").trimEnd();
}
