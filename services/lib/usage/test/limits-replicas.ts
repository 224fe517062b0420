import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Backend } from "@uag/harness/backend";
import { waitFor } from "@uag/harness/testing/wait-for";
import type { Order } from "./limits-child.ts";

export interface RequestSpan {
  readonly replica: number;
  readonly keyId: string;
  readonly admittedAt: number;
  endedAt: number | undefined;
}

/**
 * Admission in processes of their own, and what they did. Times are this machine's, in
 * milliseconds.
 */
export interface Replicas extends AsyncDisposable {
  readonly spans: RequestSpan[];
  readonly refusals: Map<string, number>;
  /** Sends an order to one replica, and resolves when it is done. */
  run(replica: number, order: Partial<Order>): Promise<void>;
  kill(replica: number): Promise<void>;
}

const noLimits = { requestsPerMinute: 0, tokensPerMinute: 0, concurrentRequests: 0, monthlyBudgetNanoUsd: 0 };
const usual: Order = {
  keyId: "key_test",
  limits: noLimits,
  version: 1,
  levels: {},
  budgetIds: [],
  count: 1,
  atOnce: 1,
  lastsMs: 0,
  delayMs: 0,
  untilMs: 600_000,
};

export async function startReplicas(backend: Backend, account: string, count: number): Promise<Replicas> {
  const spans: RequestSpan[] = [];
  const refusals = new Map<string, number>();
  const children: { process: ChildProcess; ready: boolean; done: (() => void)[] }[] = [];
  const byId = new Map<string, RequestSpan>();
  const hear = (replica: number, line: string): void => {
    const [word, id = "", time = "", keyId = ""] = line.split(" ");
    const child = children[replica]!;
    if (word === "ready") child.ready = true;
    else if (word === "done") child.done.shift()?.();
    else if (word === "refused") refusals.set(id, (refusals.get(id) ?? 0) + 1);
    else if (word === "ended") byId.get(id)!.endedAt = Number(time);
    else {
      const span: RequestSpan = { replica, keyId, admittedAt: Number(time), endedAt: undefined };
      byId.set(id, span);
      spans.push(span);
    }
  };
  for (let replica = 0; replica < count; replica++) {
    const env = { ...process.env, ...backend.env };
    const child = spawn(process.execPath, [join(import.meta.dirname, "limits-child.ts"), account], {
      env,
      stdio: ["pipe", "pipe", "inherit"],
    });
    children.push({ process: child, ready: false, done: [] });
    createInterface({ input: child.stdout }).on("line", (line) => hear(replica, line));
  }
  const kill = async (replica: number): Promise<void> => {
    const child = children[replica]!;
    if (child.process.exitCode !== null || child.process.signalCode !== null) return;
    const gone = once(child.process, "exit");
    child.process.kill("SIGKILL");
    await gone;
    const at = performance.timeOrigin + performance.now();
    for (const span of spans) if (span.replica === replica) span.endedAt ??= at;
    for (const done of child.done) done();
  };
  await waitFor(() => children.every(({ ready }) => ready), { what: "the replicas" });
  return {
    spans,
    refusals,
    run: (replica, order) =>
      new Promise((resolve) => {
        children[replica]!.done.push(resolve);
        children[replica]!.process.stdin!.write(`${JSON.stringify({ ...usual, ...order })}\n`);
      }),
    kill,
    async [Symbol.asyncDispose]() {
      await Promise.all(children.map((_, replica) => kill(replica)));
    },
  };
}

/** Limits with only these set. */
export function limited(limits: Partial<typeof noLimits>): typeof noLimits {
  return { ...noLimits, ...limits };
}

/** The most admitted within any 60 s. */
export function busiestMinute(spans: readonly RequestSpan[]): number {
  const times = spans.map(({ admittedAt }) => admittedAt).sort((a, b) => a - b);
  let max = 0;
  for (let first = 0, last = 0; last < times.length; last++) {
    while (times[last]! - times[first]! >= 60_000) first++;
    max = Math.max(max, last - first + 1);
  }
  return max;
}

/** The most in flight at one time. */
export function maxConcurrent(spans: readonly RequestSpan[]): number {
  const changes = spans.flatMap(({ admittedAt, endedAt = Number.POSITIVE_INFINITY }): [number, number][] => [
    [admittedAt, 1],
    [endedAt, -1],
  ]);
  // An end and a start at the same instant do not overlap.
  changes.sort(([a, up], [b, down]) => a - b || up - down);
  let [now, max] = [0, 0];
  for (const [, change] of changes) {
    now += change;
    max = Math.max(max, now);
  }
  return max;
}
