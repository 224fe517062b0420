import assert from "node:assert/strict";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import { Outcome, Pricing, SettlementRule, type UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { purseOf } from "@uag/usage/wallet/account";
import { admissionOf, type ChargedTask, taskGraceMs } from "@uag/video/tasks/grant";
import { sourcesOf } from "./callers.ts";
import type { Deaths } from "./crash-counts.ts";
import { epochMs } from "./epoch.ts";
import type { Replica } from "./replica.ts";
import type { Truth } from "./truth.ts";

interface Task {
  /** The task as stored by the video service; a process that recovers it has only this. */
  readonly row: ChargedTask;
  readonly caller: Caller;
  /** Unix milliseconds. */
  readonly createdAtMs: number;
  /**
   * A submitted task, which counted towards its key's limits if admitted; later calls only look up
   * its grant.
   */
  submitted: boolean;
  /** Undefined while it is unknown whether its hold was granted. */
  grantId: string | undefined;
  /** Its bill, which is the same for every sender. */
  bill: UsageEvent | undefined;
}

export interface TasksOptions {
  readonly random: (below: number) => number;
  readonly truth: Truth;
  readonly deaths: Deaths;
  /** True time, milliseconds. */
  readonly now: () => number;
  /** Whether billing has an open grant for a task. */
  readonly hasOpenGrant: (requestId: string) => boolean;
  /** Chooses who submits a task. */
  readonly caller: () => Caller;
}

/** How long billing keeps a task's money for it. */
const lastsMs = 60_000;
const nothing = Buffer.alloc(0);

/**
 * Long tasks: any replica may request their money, and any may send their bill, until billing
 * confirms the settlement.
 */
export class Tasks {
  readonly #options: TasksOptions;
  #tasks: Task[] = [];
  #ids = 0;
  /** The first failure of an operation that is not awaited. */
  fault: unknown;

  constructor(options: TasksOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#tasks.length;
  }

  /** @param replica undefined when all are paused */
  begin(replica: Replica | undefined): void {
    if (replica === undefined) return;
    const { random, now } = this.#options;
    const requestId = `t${++this.#ids}`;
    const createdAtMs = Math.round(now() + epochMs);
    const expiresAt = new Date(createdAtMs + lastsMs - taskGraceMs);
    const caller = this.#options.caller();
    const { accountId, keyId: budgetKeyId, budgetIds } = purseOf(caller);
    const holdNanoUsd = BigInt(random(200));
    const charged = { accountId, keyId: caller.keyId, budgetKeyId, budgetIds, requestId, holdNanoUsd };
    const row = { ...charged, model: "m", priceVersion: "v1", expiresAt };
    this.#tasks.push({ row, caller, createdAtMs, submitted: false, grantId: undefined, bill: undefined });
    this.goOn(replica, this.#tasks.at(-1));
  }

  /** Runs the next step of a task: requests its money or sends its bill. */
  goOn(replica: Replica | undefined, task = this.#tasks[this.#options.random(this.#tasks.length)]): void {
    if (task === undefined || replica === undefined) return;
    const { deaths } = this.#options;
    const stage = task.grantId === undefined ? "task asked" : "task settling";
    const underway = deaths.begin({ stage, replica, sources: sourcesOf(task.caller) });
    const done = task.grantId === undefined ? this.#admit(replica, task) : this.#settle(replica, task, task.grantId);
    const ended = done.finally(() => deaths.end(underway));
    ended.catch((error: unknown) => {
      // Retried later, by any replica.
      if (!(error instanceof GatewayError) && (error as { code?: string }).code !== "ENOSPC") this.fault ??= error;
    });
  }

  goOnWithAll(replica: Replica): void {
    for (const task of [...this.#tasks]) this.goOn(replica, task);
  }

  async #admit(replica: Replica, task: Task): Promise<void> {
    const { row, caller, submitted } = task;
    task.submitted = true;
    if (submitted) {
      task.grantId ??= await replica.admitter
        .findTaskGrant(admissionOf(row))
        .catch((error: unknown) => this.#withoutGrant(row, error));
      return;
    }
    try {
      const { id } = await replica.admitter.admitTask({ ...admissionOf(row, caller), tokens: 1 });
      task.grantId = id;
      if (sourcesOf(caller).includes("capped")) this.#options.truth.admitted(this.#options.now());
    } catch (error) {
      if (error instanceof GatewayError && !error.retryable) this.#forget(task);
      throw error;
    }
  }

  async #settle(replica: Replica, task: Task, grantId: string): Promise<void> {
    const { row } = task;
    const { requestId, holdNanoUsd } = row;
    const cost = BigInt(this.#options.random(Number(holdNanoUsd) + 1));
    task.bill ??= billOf(task, grantId, cost);
    const { costNanoUsd } = task.bill;
    const { requests } = this.#options.truth;
    const truth = requests.get(requestId) ?? {
      hold: holdNanoUsd,
      possible: new Set([costNanoUsd]),
      reportedCost: undefined,
      begun: false,
    };
    requests.set(requestId, truth);
    await replica.admitter.settleTask(task.bill);
    truth.reportedCost = costNanoUsd;
    this.#forget(task);
  }

  /** Billing refused a recovered task's grant permanently, so the task continues without one. */
  #withoutGrant({ requestId }: ChargedTask, error: unknown): string {
    if (!(error instanceof GatewayError) || error.httpStatus >= 500) throw error;
    const isOpen = error.code === "already_exists" && this.#options.hasOpenGrant(requestId);
    assert.ok(!isOpen, `the recovered task ${requestId} was refused its open grant`);
    return "";
  }

  #forget(task: Task): void {
    this.#tasks = this.#tasks.filter((other) => other !== task);
  }
}

function billOf({ row, caller, createdAtMs }: Task, grantId: string, costNanoUsd: bigint): UsageEvent {
  const { requestId, accountId, keyId, budgetIds = [], holdNanoUsd, model, priceVersion } = row;
  return {
    budgetIds,
    requestId,
    accountId,
    keyId,
    rootKeyId: caller.rootKeyId,
    grantId,
    holderId: "",
    operation: "videos.generations",
    model,
    priceVersion,
    holdNanoUsd,
    costNanoUsd,
    upstream: "",
    upstreamModel: "",
    startedAtMs: BigInt(createdAtMs),
    endedAtMs: BigInt(createdAtMs + lastsMs),
    outcome: Outcome.COMPLETED,
    settlementRule: SettlementRule.COMPLETED,
    pricing: Pricing.EXACT,
    units: [],
    rawUsage: nothing,
    attempts: 1,
    failedAttempts: [],
    status: 200,
    stream: false,
  };
}
