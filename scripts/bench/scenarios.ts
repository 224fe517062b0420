import type { VectorFormat } from "./embeddings.ts";
import { geminiModel } from "./gemini.ts";
import type { Job } from "./load.ts";
import { type Bench, measure, type Run } from "./measure.ts";
import type { BenchOptions, ScenarioName } from "./options.ts";
import { type Summary, summarize } from "./summary.ts";
import type { Target, TargetName } from "./targets.ts";

interface Scenario {
  readonly title: string;
  /**
   * Number of measurements of each target; targets take turns, so that a busy minute affects all of
   * them.
   */
  readonly rounds: number;
  readonly streams: number;
  readonly direct: boolean;
  job(target: Target, options: BenchOptions): Job;
}

const closedConnections = 64;
const slowStreams = 1_000;

/** The embedding model that gateways are called with. */
const embeddingModel = "text-embedding-3-small";
const vectorConnections = 8;

function vectorScenario(vectors: VectorFormat): Scenario {
  return {
    title: `embeddings, 64 x 1,024 as ${vectors}, ${vectorConnections} connections`,
    rounds: 3,
    streams: 0,
    direct: true,
    job: ({ endpoint }, { seconds }) => ({
      kind: "closed",
      endpoint: { ...endpoint, model: embeddingModel },
      vectors,
      connections: vectorConnections,
      seconds,
    }),
  };
}

export const scenarios: Readonly<Record<ScenarioName, Scenario>> = {
  slow: {
    title: "1,000 streams of 20 chunks at 500 ms",
    rounds: 1,
    streams: slowStreams,
    direct: false,
    job: ({ endpoint }) => ({
      kind: "streams",
      endpoint,
      streams: slowStreams,
      rounds: 1,
      shape: { chunks: 20, intervalMs: 500 },
      rampMs: 1_500,
    }),
  },
  json: {
    title: "JSON, 64 connections",
    rounds: 3,
    streams: 0,
    direct: true,
    job: ({ endpoint, name }, { seconds }) => ({
      kind: "closed",
      endpoint,
      connections: closedConnections,
      seconds: name === "direct" ? Math.min(seconds, 2) : seconds,
    }),
  },
  rate: {
    title: "JSON, 100 requests/s",
    rounds: 3,
    streams: 0,
    direct: true,
    job: ({ endpoint }, { seconds }) => ({ kind: "rate", endpoint, perSecond: 100, seconds }),
  },
  gemini: {
    title: "Gemini's format, 64 connections",
    rounds: 3,
    streams: 0,
    direct: true,
    job: ({ endpoint, name }, { seconds }) => ({
      kind: "closed",
      endpoint: { ...endpoint, model: geminiModel },
      gemini: true,
      connections: closedConnections,
      seconds: name === "direct" ? Math.min(seconds, 2) : seconds,
    }),
  },
  vectors: vectorScenario("float"),
  vectors64: vectorScenario("base64"),
  sse: {
    title: "100 streams of 200 chunks at 10 ms",
    // A round of four seconds takes up to 15 % more or less than the next, even for the baseline.
    rounds: 6,
    streams: 100,
    direct: true,
    job: ({ endpoint }) => ({
      kind: "streams",
      endpoint,
      streams: 100,
      rounds: 2,
      shape: { chunks: 200, intervalMs: 10 },
      rampMs: 100,
    }),
  },
};

export interface ScenarioResult {
  readonly name: ScenarioName;
  readonly title: string;
  readonly summaries: ReadonlyMap<TargetName, Summary>;
}

export async function runScenario(
  bench: Bench,
  options: { readonly name: ScenarioName; readonly targets: readonly Target[]; readonly options: BenchOptions },
): Promise<ScenarioResult> {
  const scenario = scenarios[options.name];
  const runs = new Map<Target, Run[]>();
  for (const target of options.targets) if (scenario.direct || target.name !== "direct") runs.set(target, []);
  for (let round = 0; round < scenario.rounds; round++) {
    for (const [target, done] of runs) done.push(await measure(bench, target, scenario.job(target, options.options)));
  }
  const summaries = new Map([...runs].map(([target, done]) => [target.name, summarize(done, scenario.streams)]));
  return { name: options.name, title: scenario.title, summaries };
}

/**
 * Lets every target compile its hot paths and open its connections before the measurement: V8 is
 * still optimizing the path of a stream after 50,000 chunks and 1,000 requests, and the target is a
 * service that has run for a minute.
 */
export async function warmUp(bench: Bench, targets: readonly Target[]): Promise<void> {
  for (const target of targets) {
    const { endpoint } = target;
    await measure(bench, target, { kind: "closed", endpoint, connections: closedConnections, seconds: 3 });
    const streams = { kind: "streams", endpoint, streams: 100, rampMs: 50 } as const;
    await measure(bench, target, { ...streams, rounds: 20, shape: { chunks: 10, intervalMs: 2 } });
    await measure(bench, target, { ...streams, rounds: 3, shape: { chunks: 400, intervalMs: 5 } });
  }
}
