import type { TestFleet } from "@uag/harness/fleet/with-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import { type CrashPoint, crashPoints } from "@uag/runtime/crash-point";
import { collectFigures, type Figures } from "./figures.ts";
import { type Funds, type FundsName, fundsNames, openFunds, openPlenty } from "./funds.ts";
import { hasOwnModel, Load, type LoadResponse, type RequestKind } from "./load.ts";

/** The process that passes a point. Points not listed belong to a capability service. */
const owners: Partial<Record<CrashPoint, string>> = {
  authenticated: "router",
  "permits-lent": "billing",
  "in-transaction": "billing",
  committed: "billing",
  received: "metering",
  settled: "metering",
  stored: "metering",
  applied: "metering",
  acked: "metering",
};

export const ownerOf = (point: CrashPoint): string => owners[point] ?? "chat";

/** Points that are passed per load start, chunk or crash rather than per request. */
const latestPassing: Partial<Record<CrashPoint, number>> = { adopted: 1, "permits-lent": 1, "mid-stream": 200 };
const usualLatest = 12;
const concurrency = 8;
/** Refusals are fast: without a maximum rate they would saturate the machine. */
const perSecond = 80;

export interface CrashRound {
  /** Points armed together, at most one per process. */
  readonly points: readonly CrashPoint[];
  readonly kind: "json" | "stream";
  readonly random: () => number;
}

export interface CrashRow extends Figures {
  readonly points: readonly CrashPoint[];
  readonly kind: "json" | "stream";
}

/** The results of a source of funds at every crash point. */
export interface FundsRow extends Figures {
  readonly funds: FundsName | "plenty";
  /** Number of deaths at each point under requests of this source alone. */
  readonly deaths: ReadonlyMap<CrashPoint, number>;
  /** Number of responses or bills for which its funds were exhausted. */
  readonly atEdge: number;
}

const kinds: Readonly<Record<CrashRound["kind"], readonly RequestKind[]>> = {
  json: ["json", "abort", "retry"],
  stream: ["stream", "messages", "gemini", "abort", "disconnect", "retry"],
};

/** The points that only a stream passes: a JSON response is never sent in part. */
const streamPoints: ReadonlySet<CrashPoint> = new Set(["checkpointed", "mid-stream"]);

/** The points of a kind. */
export const roundsOf = (kind: CrashRound["kind"]): readonly CrashPoint[] =>
  crashPoints.filter((point) => kind === "stream" || !streamPoints.has(point));

/** Kills each process at its point, under load; stops the load when requests succeed again. */
async function dieUnderLoad(fleet: TestFleet, { points, kind, random }: CrashRound, funds: Funds): Promise<Load> {
  const { clients, model, body } = funds;
  // The price of such a kind's model can exceed one payment of a source.
  const sent = kinds[kind].filter((one) => body === undefined || !hasOwnModel(one));
  const load = new Load({
    clients,
    kinds: sent,
    concurrency,
    random,
    perSecond,
    seen: ({ outcome }) => funds.seen(outcome),
    ...(model !== undefined && { model }),
    ...(body !== undefined && { body }),
  });
  try {
    await Promise.all(points.map((point) => die(fleet, point, random)));
    const before = load.completed;
    await waitFor(() => load.completed >= before + 2 * concurrency, {
      timeoutMs: 60_000,
      what: "responses after a crash",
    });
  } finally {
    await load.stop();
  }
  return load;
}

async function die(fleet: TestFleet, point: CrashPoint, random: () => number): Promise<void> {
  const passing = 1 + Math.floor(random() * (latestPassing[point] ?? usualLatest));
  await dieAt(fleet, ownerOf(point), `${point}:${passing}`);
}

/**
 * Restarts a process so that it ends at a point's nth passing, and waits until it is ready again.
 */
export async function dieAt(fleet: TestFleet, name: string, at: `${CrashPoint}:${number}`): Promise<void> {
  const { processes } = fleet;
  await processes.takeDown(name);
  await processes.restart(name, { CRASH_AT: at });
  const died = (): boolean => processes.restarts(name) > 0;
  await waitFor(died, { timeoutMs: 60_000, what: `${name} to die at ${at}` });
  await processes.ready(name);
}

/** One round: its points and figures. */
export async function crash(fleet: TestFleet, round: CrashRound): Promise<CrashRow> {
  await using funds = await openPlenty(fleet);
  const load = await dieUnderLoad(fleet, round, funds);
  const figures = await collectFigures(fleet, { responses: load.responses, kills: 2 * round.points.length });
  return { ...figures, points: round.points, kind: round.kind };
}

/**
 * Rounds in which all processes die together, each at a point of its own, so that every point is
 * passed once. The kinds alternate.
 */
function roundsEverywhere(random: () => number): CrashRound[] {
  const byOwner = Map.groupBy(crashPoints, ownerOf);
  const rounds = Math.max(...[...byOwner.values()].map(({ length }) => length));
  return Array.from({ length: rounds }, (_, n) => {
    const points = [...byOwner.values()].flatMap((own) => own.slice(n, n + 1));
    return { points, kind: points.some((point) => streamPoints.has(point)) || n % 2 === 0 ? "stream" : "json", random };
  });
}

/**
 * Every point, or those of `rounds`, under requests of one source of funds alone; with a single
 * audit. A source whose funds were never exhausted is a violation.
 */
export async function crashFunds(
  fleet: TestFleet,
  funds: FundsName | "plenty",
  { random, rounds = roundsEverywhere(random) }: { readonly random: () => number; readonly rounds?: CrashRound[] },
): Promise<FundsRow> {
  const responses: LoadResponse[] = [];
  const deaths = new Map<CrashPoint, number>();
  await using source = await (funds === "plenty" ? openPlenty(fleet) : openFunds(fleet, funds));
  for (const round of rounds) {
    responses.push(...(await dieUnderLoad(fleet, round, source)).responses);
    for (const point of round.points) deaths.set(point, (deaths.get(point) ?? 0) + 1);
  }
  const kills = 2 * rounds.reduce((sum, { points }) => sum + points.length, 0);
  const figures = await collectFigures(fleet, { responses, kills });
  const atEdge = await source.atEdge();
  const violations = atEdge > 0 || funds === "plenty" ? [] : [`The funds "${funds}" were never exhausted.`];
  return { ...figures, violations: [...figures.violations, ...violations], funds, deaths, atEdge };
}

/** Sufficient money and each source of funds at some of the points; together they cover all points. */
export async function crashInTurn(fleet: TestFleet, random: () => number): Promise<FundsRow[]> {
  const rows: FundsRow[] = [];
  const all = roundsEverywhere(random);
  const sources = ["plenty", ...fundsNames] as const;
  for (const [n, funds] of sources.entries()) {
    const rounds = all.filter((_, at) => at % sources.length === n);
    rows.push(await crashFunds(fleet, funds, { random, rounds }));
  }
  return rows;
}
