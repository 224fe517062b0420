/** A thread for the tests of `WorkerPool`: replies with its id and what it was sent so far. */
import { threadId } from "node:worker_threads";
import { serveCalls } from "@uag/runtime/concurrency/serve-calls";

export interface EchoReply {
  readonly threadId: number;
  readonly seen: readonly string[];
}

const seen: string[] = [];

serveCalls<string, EchoReply>(async (request) => {
  if (request === "fail") throw new Error("the call failed");
  if (request === "exit") process.exit(3);
  if (request === "slow") await new Promise((resolve) => setTimeout(resolve, 100));
  seen.push(request);
  return { threadId, seen: [...seen] };
});
