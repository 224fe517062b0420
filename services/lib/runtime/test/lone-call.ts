/** A process that makes one call to a thread and disposes of nothing. */
import { WorkerPool } from "@uag/runtime/concurrency/worker-pool";
import type { EchoReply } from "./echo-worker.ts";

const pool = new WorkerPool<string, EchoReply>({ module: new URL("echo-worker.ts", import.meta.url), max: 1 });
console.info((await pool.lease().call("slow")).seen[0]);
