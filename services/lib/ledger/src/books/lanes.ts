import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { PartFindings } from "./audit-part.ts";
import type { LaneData, LaneReply } from "./lane.ts";

/**
 * Threads that audit in parallel: a single thread reads rows slower than the database delivers
 * them.
 */
export interface Lanes extends AsyncDisposable {
  readonly count: number;
  audit(accountIds: readonly string[]): Promise<PartFindings>;
}

/**
 * Large enough that objects created while reading die young, before the garbage collector copies
 * them.
 */
const youngMegabytes = 96;

/** @param count each thread takes a database connection and about 150 MB */
export function openLanes(count: number, workerData: LaneData): Lanes {
  const resourceLimits = { maxYoungGenerationSizeMb: youngMegabytes };
  const workers = Array.from(
    { length: count },
    () => new Worker(new URL("lane.ts", import.meta.url), { workerData, resourceLimits }),
  );
  const idle = [...workers];
  return {
    count,
    async audit(accountIds) {
      const worker = idle.pop();
      if (worker === undefined) throw new Error("more concurrent parts than threads");
      worker.postMessage(accountIds);
      const [reply] = (await once(worker, "message")) as [LaneReply];
      idle.push(worker);
      if ("failed" in reply) throw new Error(reply.failed);
      return reply;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}
