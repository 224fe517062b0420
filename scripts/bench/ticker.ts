/**
 * A thread that signals when each request of a constant rate is due. Timers of the event loop may
 * be late by a millisecond, which is more than the measured latencies.
 */
import { parentPort, workerData } from "node:worker_threads";
import { monotonicUs } from "./responses.ts";

const { perSecond, count } = workerData as { perSecond: number; count: number };
const never = new Int32Array(new SharedArrayBuffer(4));
const start = monotonicUs() + 10_000;

for (let index = 0; index < count; index++) {
  const dueUs = start + Math.round((index * 1_000_000) / perSecond);
  const waitUs = dueUs - monotonicUs();
  if (waitUs > 0) Atomics.wait(never, 0, 0, waitUs / 1_000);
  parentPort?.postMessage(dueUs);
}
