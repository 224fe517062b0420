import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import type { Backend } from "@uag/harness/backend";
import { Outcome, Pricing, SettlementRule, type UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import type { AdmitRequest, AdmitTask, Settlement } from "../src/types.ts";
import { purseOf } from "../src/wallet/account.ts";

export interface Spawned extends Disposable {
  readonly child: ChildProcess;
  readonly lines: string[];
}

/** A replica in a process of its own, under load until it is killed. */
export function spawnReplica(backend: Backend, account: string, name: string): Spawned {
  const child = spawn(process.execPath, [join(import.meta.dirname, "replica-child.ts"), account, name], {
    env: { ...process.env, ...backend.env, DISK_FAULTS: "" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: string[] = [];
  let rest = "";
  child.stdout?.on("data", (data: Buffer) => {
    const parts = (rest + data.toString()).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
  });
  return { child, lines, [Symbol.dispose]: () => child.kill("SIGKILL") };
}

export function request(accountId: string, requestId: string, holdNanoUsd: bigint): AdmitRequest {
  const caller = {
    keyId: `key_${accountId}`,
    accountId,
    models: [],
    expiresAtMs: 0n,
    limits: undefined,
    version: 1n,
    budgetIds: [],
    levels: [],
  };
  return {
    requestId,
    caller,
    operation: "chat.completions",
    model: "m",
    holdNanoUsd,
    tokens: 10,
    priceVersion: "v1",
    stream: false,
  };
}

/** A task of the same shape. */
export function taskOf(accountId: string, requestId: string, holdNanoUsd: bigint): AdmitTask {
  const { stream: _, ...requested } = request(accountId, requestId, holdNanoUsd);
  const purse = purseOf(requested.caller);
  return { ...requested, purse, operation: "videos.generations", untilMs: Date.now() + 3_600_000 };
}

export function taskBill(requested: AdmitTask, grantId: string, cost: bigint): UsageEvent {
  return {
    ...settlement(cost),
    rawUsage: Buffer.alloc(0),
    holderId: "",
    priceVersion: "v1",
    stream: false,
    outcome: cost === 0n ? Outcome.FAILED : Outcome.COMPLETED,
    requestId: requested.requestId,
    accountId: requested.caller.accountId,
    keyId: requested.caller.keyId,
    budgetIds: requested.caller.budgetIds,
    grantId,
    operation: requested.operation,
    model: requested.model,
    holdNanoUsd: requested.holdNanoUsd,
    startedAtMs: BigInt(Date.now()),
    endedAtMs: BigInt(Date.now()),
  };
}

export function settlement(costNanoUsd: bigint): Settlement {
  return {
    settlementRule: SettlementRule.COMPLETED,
    outcome: Outcome.COMPLETED,
    pricing: Pricing.EXACT,
    costNanoUsd,
    attempts: 1,
    failedAttempts: [],
    status: 200,
    units: [{ name: "input_tokens", quantity: costNanoUsd }],
    upstream: "sim",
    upstreamModel: "m",
    rawUsage: Buffer.from("{}"),
  };
}
