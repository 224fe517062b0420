import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { WorkerPool } from "@uag/runtime/concurrency/worker-pool";
import type { EchoReply } from "./echo-worker.ts";

const module = new URL("echo-worker.ts", import.meta.url);
const open = (max: number) => new WorkerPool<string, EchoReply>({ module, max });

test("a thread runs its calls one after another, and each call gets its own reply", async () => {
  await using pool = open(1);
  using lease = pool.lease();
  const replies = await Promise.all(["slow", "a", "b"].map((request) => lease.call(request)));
  assert.deepEqual(
    replies.map(({ seen }) => seen),
    [["slow"], ["slow", "a"], ["slow", "a", "b"]],
  );
});

test("leases are spread over the threads, and each keeps its thread", async () => {
  await using pool = open(2);
  const leases = Array.from({ length: 4 }, () => pool.lease());
  const threadsOf = async () =>
    (await Promise.all(leases.map((lease) => lease.call("x")))).map((reply) => reply.threadId);
  const threads = await threadsOf();
  assert.equal(new Set(threads).size, 2);
  for (const id of threads) assert.equal(threads.filter((other) => other === id).length, 2);
  assert.deepEqual(await threadsOf(), threads);
});

test("a disposed lease leaves its thread to the next", async () => {
  await using pool = open(2);
  const ids: number[] = [];
  for (let n = 0; n < 3; n++) {
    using lease = pool.lease();
    ids.push((await lease.call("x")).threadId);
  }
  assert.equal(new Set(ids).size, 1);
});

test("a call that fails rejects with its error, and the thread serves the next", async () => {
  await using pool = open(1);
  using lease = pool.lease();
  const [failed, next] = await Promise.allSettled([lease.call("fail"), lease.call("next")]);
  assert.match(String(failed.status === "rejected" && failed.reason), /the call failed/);
  assert.equal(next.status, "fulfilled");
});

test("a thread that exits rejects its calls in progress and is replaced", async () => {
  await using pool = open(1);
  using lost = pool.lease();
  const calls = await Promise.allSettled([lost.call("exit"), lost.call("after")]);
  for (const call of calls) assert.match(String(call.status === "rejected" && call.reason), /exited with code 3/);
  await assert.rejects(lost.call("later"), /exited/);
  using next = pool.lease();
  assert.deepEqual((await next.call("x")).seen, ["x"]);
});

test("a process stays alive for a call in progress, and not for an idle thread", async () => {
  const script = fileURLToPath(new URL("lone-call.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script], { timeout: 60_000 });
  assert.equal(stdout, "slow\n");
});
