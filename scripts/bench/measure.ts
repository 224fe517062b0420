import { setTimeout as sleep } from "node:timers/promises";
import type { Job, LoadMessage } from "./load.ts";
import type { JsonResult } from "./load-json.ts";
import type { StreamsResult } from "./load-streams.ts";
import { cpuBetween, type ProcessTable, readResident, readUsage, totalSeconds } from "./proc.ts";
import type { Process } from "./processes.ts";
import type { Target, TargetName } from "./targets.ts";

/** One run of one job against one target, with the resource usage of the target's processes. */
export interface Run {
  readonly json: JsonResult | undefined;
  readonly streams: StreamsResult | undefined;
  /**
   * Processor seconds by process, from before the first request until the work behind the responses
   * is done.
   */
  readonly cpuSeconds: ReadonlyMap<string, number>;
  readonly memory: Memory;
}

/**
 * Resident KiB by process. `open` exists only for streams: the median while all of them were open.
 */
interface Memory {
  readonly before: ReadonlyMap<string, number>;
  readonly open: ReadonlyMap<string, number>;
}

export interface Bench {
  readonly load: Process;
  readonly signal: AbortSignal;
  /** Counts the requests completed by each target. */
  readonly served: Map<TargetName, number>;
}

const sampleMs = 400;

/**
 * Throws with the wrong response's text if there was one, or if the job takes much longer than it
 * can.
 */
export async function measure(bench: Bench, target: Target, job: Job): Promise<Run> {
  await quiet(target.processes, bench.signal);
  const before = readUsage(target.processes);
  const sampler = new MemorySampler(target.processes);
  const residentBefore = readResident(target.processes);
  bench.load.send(job);
  const result = await bench.load
    .next({
      timeoutMs: maxMs(job),
      signal: bench.signal,
      choose: (message) => {
        const reported = message as LoadMessage;
        if (reported.kind === "failed") throw new Error(`${target.name}: ${reported.reason}`);
        if (reported.kind === "phase") sampler.phase(reported.phase);
        return reported.kind === "json" || reported.kind === "streams" ? reported : undefined;
      },
    })
    .finally(() => sampler.stop());
  bench.served.set(target.name, (bench.served.get(target.name) ?? 0) + result.result.requests);
  await quiet(target.processes, bench.signal);
  return {
    json: result.kind === "json" ? result.result : undefined,
    streams: result.kind === "streams" ? result.result : undefined,
    cpuSeconds: cpuBetween(before, readUsage(target.processes)),
    memory: { before: residentBefore, open: sampler.medians() },
  };
}

function maxMs(job: Job): number {
  const expectedMs =
    job.kind === "streams" ? job.rampMs + job.rounds * job.shape.chunks * job.shape.intervalMs : job.seconds * 1_000;
  return expectedMs * 2 + 15_000;
}

const quietWindowMs = 200;
const quietCpuSeconds = 0.02;
const maxQuietMs = 8_000;

/**
 * Waits until the processes are idle, because recording and settling continue after the responses
 * and belong to the run that caused them. A process that is never idle is measured after a bounded
 * wait.
 */
async function quiet(processes: ProcessTable, signal: AbortSignal): Promise<void> {
  if (processes.size === 0) return;
  const end = performance.now() + maxQuietMs;
  let calm = 0;
  let last = readUsage(processes);
  while (calm < 2 && performance.now() < end) {
    await sleep(quietWindowMs, undefined, { signal });
    const now = readUsage(processes);
    const used = totalSeconds(cpuBetween(last, now));
    calm = used <= quietCpuSeconds ? calm + 1 : 0;
    last = now;
  }
}

/** Samples resident memory while all streams of a job are open. */
class MemorySampler {
  readonly #processes: ProcessTable;
  readonly #samples = new Map<string, number[]>();
  #timer: NodeJS.Timeout | undefined;

  constructor(processes: ProcessTable) {
    this.#processes = processes;
  }

  phase(phase: "all-open" | "closing"): void {
    if (phase === "closing") this.stop();
    else this.#timer ??= setInterval(() => this.#sample(), sampleMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  medians(): Map<string, number> {
    const medians = new Map<string, number>();
    for (const [name, values] of this.#samples) {
      values.sort((a, b) => a - b);
      medians.set(name, values[Math.floor(values.length / 2)]!);
    }
    return medians;
  }

  #sample(): void {
    for (const [name, kib] of readResident(this.#processes)) {
      const values = this.#samples.get(name);
      if (values === undefined) this.#samples.set(name, [kib]);
      else values.push(kib);
    }
  }
}
