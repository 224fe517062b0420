import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { replica } from "@uag/harness/replica";
import type { Limits } from "@uag/proto/common/v1/caller.ts";
import { request, settlement } from "./harness.ts";

/** One line of JSON that instructs a replica in a process of its own. */
export interface Order {
  readonly keyId: string;
  readonly limits: Record<keyof Limits, number>;
  readonly version: number;
  /** Budgets above the key, by name, with their limits. */
  readonly levels: Readonly<Record<string, Partial<Record<keyof Limits, number>>>>;
  /** The levels that its money is limited by. */
  readonly budgetIds: readonly string[];
  /** Total requests, not counting 503s from an unreachable billing, and how many run at once. */
  readonly count: number;
  readonly atOnce: number;
  /** How long an admitted request lasts, milliseconds; -1: for ever. */
  readonly lastsMs: number;
  /** How long a worker waits after a refusal before its next request, milliseconds. */
  readonly delayMs: number;
  /** Deadline of the order, milliseconds. */
  readonly untilMs: number;
}

const [account = ""] = process.argv.slice(2);
const admission = await replica(process.env as Record<string, string>, { publish: { gatherMs: 20, confirmMs: 50 } });
const report = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const now = (): number => performance.timeOrigin + performance.now();
let made = 0;

const none = { requestsPerMinute: 0, tokensPerMinute: 0, concurrentRequests: 0, monthlyBudgetNanoUsd: 0 };

const limitsOf = (limits: Partial<Record<keyof Limits, number>>): Limits =>
  Object.fromEntries(Object.entries({ ...none, ...limits }).map(([name, limit]) => [name, BigInt(limit)])) as never;

/** Resolves to false when billing was unreachable, which is not a refusal by a limit. */
async function one(order: Order): Promise<boolean> {
  const id = `${process.pid}-${++made}`;
  const { keyId } = order;
  const version = BigInt(order.version);
  const levels = Object.entries(order.levels).map(([name, limits]) => ({
    id: `bud_${name}`,
    name,
    limits: limitsOf(limits),
    models: [],
    version,
  }));
  const own = { keyId, version, limits: limitsOf(order.limits), levels, budgetIds: [...order.budgetIds] };
  const caller = { ...request(account, id, 1_000n).caller, ...own };
  try {
    const admitted = await admission.admit({ ...request(account, id, 1_000n), caller });
    report(`admitted ${id} ${now()} ${keyId}`);
    if (order.lastsMs < 0) return true;
    if (order.lastsMs > 0) await sleep(order.lastsMs);
    report(`ended ${id} ${now()}`);
    await admitted.settle(settlement(10n));
    return true;
  } catch (error) {
    const away = error instanceof GatewayError && error.code === "service_unavailable";
    report(`refused ${error instanceof GatewayError ? `${error.code} ${error.retryAfterMs}` : String(error)}`);
    if (order.delayMs > 0 || away) await sleep(Math.max(order.delayMs, 20));
    return !away;
  }
}

createInterface({ input: process.stdin }).on("line", async (line) => {
  const order = JSON.parse(line) as Order;
  const end = performance.now() + order.untilMs;
  let left = order.count;
  const worker = async (): Promise<void> => {
    while (left-- > 0 && performance.now() < end) if (!(await one(order))) left++;
  };
  await Promise.all(Array.from({ length: order.atOnce }, worker));
  report("done");
});
report("ready");
