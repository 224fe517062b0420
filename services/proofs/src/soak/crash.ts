import { newKey } from "@uag/fleet/testing/limited-key.ts";
import type { TestFleet } from "@uag/fleet/testing/with-fleet.ts";
import { type CrashPoint, crashPoints } from "@uag/kit/crash-point.ts";
import { waitFor } from "@uag/kit/testing/wait-for.ts";
import { collectFigures, type Figures } from "./figures.ts";
import { Load, type RequestKind } from "./load.ts";

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
const limits = { requestsPerMinute: 100_000n, concurrentRequests: 64n };

export interface CrashRound {
  /** All armed together, at most one per process. */
  readonly points: readonly CrashPoint[];
  readonly kind: "json" | "stream";
  readonly random: () => number;
}

export interface CrashRow extends Figures {
  readonly points: readonly CrashPoint[];
  readonly kind: "json" | "stream";
}

const kinds: Readonly<Record<CrashRound["kind"], readonly RequestKind[]>> = {
  json: ["json", "leave", "retry"],
  stream: ["stream", "messages", "leave", "disconnect", "retry"],
};

/** A JSON response is never partially sent. */
export const roundsOf = (kind: CrashRound["kind"]): readonly CrashPoint[] =>
  crashPoints.filter((point) => kind === "stream" || point !== "mid-stream");

/** Kills each process at its point, under load; stops the load when requests succeed again. */
async function dieUnderLoad(fleet: TestFleet, { points, kind, random }: CrashRound): Promise<Load> {
  const { client } = await newKey(fleet, limits);
  const load = new Load({ clients: [fleet.client, client], kinds: kinds[kind], concurrency, random });
  try {
    await Promise.all(points.map((point) => die(fleet, point, random)));
    const before = load.completed;
    await waitFor(() => load.completed >= before + 2 * concurrency, {
      timeoutMs: 60_000,
      what: "answers after a crash",
    });
  } finally {
    await load.stop();
  }
  return load;
}

async function die(fleet: TestFleet, point: CrashPoint, random: () => number): Promise<void> {
  const { processes } = fleet;
  const name = ownerOf(point);
  const passing = 1 + Math.floor(random() * (latestPassing[point] ?? usualLatest));
  await processes.takeDown(name);
  await processes.restart(name, { CRASH_AT: `${point}:${passing}` });
  const died = (): boolean => processes.restarts(name) > 0;
  await waitFor(died, { timeoutMs: 60_000, what: `${name} to die at ${point}:${passing}` });
  await processes.ready(name);
}

/** One round: the points, and the resulting figures. */
export async function crash(fleet: TestFleet, round: CrashRound): Promise<CrashRow> {
  const load = await dieUnderLoad(fleet, round);
  const figures = await collectFigures(fleet, { responses: load.responses, kills: 2 * round.points.length });
  return { ...figures, points: round.points, kind: round.kind };
}

/**
 * Rounds in which all processes die together, each at a point of its own, so that every point is
 * passed once; with a single audit for all of them. The kinds alternate.
 */
export async function crashEverywhere(fleet: TestFleet, random: () => number): Promise<Figures> {
  const byOwner = Map.groupBy(crashPoints, ownerOf);
  const rounds = Math.max(...[...byOwner.values()].map(({ length }) => length));
  const responses = [];
  let kills = 0;
  for (let n = 0; n < rounds; n++) {
    const points = [...byOwner.values()].flatMap((own) => own.slice(n, n + 1));
    const kind = points.includes("mid-stream") || n % 2 === 0 ? "stream" : "json";
    responses.push(...(await dieUnderLoad(fleet, { points, kind, random })).responses);
    kills += 2 * points.length;
  }
  return collectFigures(fleet, { responses, kills });
}
