import type { TestFleet } from "@uag/fleet/testing/with-fleet.ts";
import { type Attack, attacksOn } from "./attacks.ts";
import { signInAsMember } from "./console-member.ts";
import { type Effects, Gauges } from "./gauges.ts";
import { UnfundedKeys } from "./poor-keys.ts";
import { type Outcome, type SendOptions, send } from "./send.ts";
import { type Target, targets } from "./targets.ts";
import type { ThirdParty } from "./third-party.ts";
import type { TurnProbes } from "./turns.ts";

/** The allowed effect of a key without money on others. */
export const limits = { stallMs: 50, growthMiB: 200 } as const;

/** The result of one attack. */
export interface Row extends Effects {
  readonly method: string;
  readonly path: string;
  readonly attack: string;
  readonly outcome: Outcome;
  readonly tookMs: number;
  /** Requests to third parties, and the amount they sent. */
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

async function run(
  attack: Attack,
  target: Target,
  options: Pick<SendOptions, "baseUrl" | "key" | "headers">,
): Promise<Outcome> {
  const { parallel = 1 } = attack;
  const sent = { ...options, method: target.method, timeoutMs };
  const outcomes = await Promise.all(Array.from({ length: parallel }, () => send(attack, sent)));
  return outcomes[0] as Outcome;
}

/** Runs every attack on every path, one after another, and measures the effect on others. */
export async function measure(options: MeasureOptions): Promise<Row[]> {
  const { fleet, thirdParty, report } = options;
  await using gauges = new Gauges(fleet, options.turns);
  const keys = new UnfundedKeys(fleet.run);
  const member = await signInAsMember(fleet.run, await keys.account());
  const rows: Row[] = [];
  for (const target of targets().filter(({ path }) => path.includes(options.path))) {
    for (const attack of attacksOn(target, thirdParty.url)) {
      if (!attack.name.includes(options.attack)) continue;
      const key = await keys.next();
      const headers = { ...target.headers, ...(target.signedIn && member) };
      const server = { baseUrl: fleet.run.base_url, key, headers };
      const before = { requests: thirdParty.requests, bytes: thirdParty.bytes };
      let [outcome, tookMs]: [Outcome, number] = ["late", 0];
      const effects = await gauges.during(async () => {
        const startedAt = performance.now();
        outcome = await run(attack, target, server);
        tookMs = performance.now() - startedAt;
      });
      const row: Row = {
        method: target.method,
        path: target.path,
        attack: attack.name,
        outcome,
        tookMs,
        ...effects,
        fetches: thirdParty.requests - before.requests,
        fetchedMiB: (thirdParty.bytes - before.bytes) / 1024 / 1024,
      };
      rows.push(row);
      report(row);
    }
  }
  return rows;
}

/** The process with the longest stall or the most growth. */
export function worstOf(values: Readonly<Record<string, number>>): [name: string, value: number] {
  const [worst] = Object.entries(values).sort(([, a], [, b]) => b - a);
  return worst ?? ["", 0];
}

/** True when the effects are within the limits. */
export function isWithin({ stalls, growth, failedNeighbours }: Row): boolean {
  return (
    worstOf(stalls)[1] <= limits.stallMs && worstOf(growth)[1] <= limits.growthMiB && failedNeighbours.length === 0
  );
}

/** One line for people. */
export function showRow(row: Row): string {
  const [stalledProcess, stallMs] = worstOf(row.stalls);
  const [grownProcess, growthMiB] = worstOf(row.growth);
  const cells = [
    isWithin(row) ? "ok  " : "OVER",
    `${row.method} ${row.path}`.padEnd(38),
    row.attack.padEnd(38),
    String(row.outcome).padStart(4),
    `${Math.round(row.tookMs)} ms`.padStart(9),
    `stall ${Math.round(stallMs)} ms ${stalledProcess}`.padEnd(24),
    `grew ${Math.round(growthMiB)} MiB ${grownProcess}`.padEnd(22),
    `others p99 ${Math.round(row.neighbourMs)} ms`.padEnd(20),
    row.fetches > 0 ? `${row.fetches} fetches, ${Math.round(row.fetchedMiB)} MiB` : "",
    row.failedNeighbours.length > 0 ? `${row.failedNeighbours.length} others failed: ${row.failedNeighbours[0]}` : "",
  ];
  return cells.join("  ").trimEnd();
}
