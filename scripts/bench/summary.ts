import type { Run } from "./measure.ts";
import { Samples } from "./percentiles.ts";
import { engineNames } from "./targets.ts";

/** All runs of one scenario against one target, combined. Times are milliseconds. */
export interface Summary {
  readonly requests: number;
  readonly chunks: number;
  readonly requestsPerSecond: number;
  readonly chunksPerSecond: number;
  readonly latency: Spread;
  readonly firstChunk: Spread;
  readonly chunkDelay: Spread;
  /** Microseconds of processor time per request, by process. */
  readonly cpuUsPerRequest: ReadonlyMap<string, number>;
  /** Milliseconds of processor time per 1,000 chunks, by process. */
  readonly cpuMsPer1000Chunks: ReadonlyMap<string, number>;
  readonly residentKib: ReadonlyMap<string, number>;
  /** Memory growth while all streams were open, per stream, by process. */
  readonly kibPerStream: ReadonlyMap<string, number>;
}

export interface Spread {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export function summarize(runs: readonly Run[], openStreams: number): Summary {
  const requests = total(runs, (run) => (run.json ?? run.streams)?.requests ?? 0);
  const chunks = total(runs, (run) => run.streams?.chunks ?? 0);
  const seconds = total(runs, (run) => (run.json ?? run.streams)?.seconds ?? 0);
  const cpu = addUp(runs.map((run) => run.cpuSeconds));
  const memories = runs.map((run) => run.memory);
  const first = memories[0]?.before ?? new Map<string, number>();
  const grown = memories.map(({ before, open }) => scale(open, (kib, name) => kib - (before.get(name) ?? 0)));
  return {
    requests,
    chunks,
    requestsPerSecond: total(runs, (run) => run.json?.inTime ?? 0) / seconds,
    chunksPerSecond: chunks / seconds,
    latency: spread(runs.map((run) => run.json?.latencyMs)),
    firstChunk: spread(runs.map((run) => run.streams?.firstChunkMs)),
    chunkDelay: spread(runs.map((run) => run.streams?.chunkDelayMs)),
    cpuUsPerRequest: scale(cpu, (used) => (used * 1e6) / requests),
    cpuMsPer1000Chunks: chunks === 0 ? new Map() : scale(cpu, (used) => (used * 1e6) / chunks),
    residentKib: first,
    kibPerStream: scale(addUp(grown), (kib) => kib / runs.length / openStreams),
  };
}

/** The sum over a target's own processes, optionally with its engines. */
export function sumOf(values: ReadonlyMap<string, number>, which: "own" | "all"): number {
  let sum = values.size === 0 ? Number.NaN : 0;
  for (const [name, value] of values) if (which === "all" || !engineNames.has(name)) sum += value;
  return sum;
}

function spread(parts: readonly (Float64Array | undefined)[]): Spread {
  const samples = new Samples();
  for (const part of parts) if (part !== undefined) samples.addAll(part);
  return { p50: samples.percentile(50), p99: samples.percentile(99), max: samples.percentile(100) };
}

function total(runs: readonly Run[], of: (run: Run) => number): number {
  return runs.reduce((sum, run) => sum + of(run), 0);
}

function addUp(maps: readonly ReadonlyMap<string, number>[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const map of maps) for (const [name, value] of map) sums.set(name, (sums.get(name) ?? 0) + value);
  return sums;
}

function scale(map: ReadonlyMap<string, number>, by: (value: number, name: string) => number): Map<string, number> {
  return new Map([...map].map(([name, value]) => [name, by(value, name)]));
}
