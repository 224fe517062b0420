import type { AdmitTask } from "@uag/admission/types.ts";
import { purseOf } from "@uag/admission/wallet/account.ts";
import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import { Outcome, Pricing, SettlementRule, type UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import type { Replica } from "./replica.ts";
import { freeCaller } from "./requests.ts";
import type { Truth } from "./truth.ts";

interface Task {
  readonly requested: AdmitTask;
  /**
   * It was submitted, and counted towards its key's limits if admitted; later calls only look for
   * its grant.
   */
  submitted: boolean;
  /** Undefined while it is unknown whether it has its money. */
  grantId: string | undefined;
  /** Its bill, the same whoever sends it. */
  bill: UsageEvent | undefined;
}

export interface TasksOptions {
  readonly random: (below: number) => number;
  readonly truth: Truth;
  /** True time, milliseconds. */
  readonly now: () => number;
  /** The callers, which may be limited. */
  readonly callers: { limitedCaller(): Caller };
}

const lastsMs = 60_000;
const nothing = Buffer.alloc(0);

/**
 * Long tasks: any replica requests their money, and any sends their bill, until one of them is told
 * that it is settled.
 */
export class Tasks {
  readonly #options: TasksOptions;
  #tasks: Task[] = [];
  #ids = 0;
  /** The first failure of an operation that nobody awaited. */
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
    const untilMs = Math.round(now() + 1e12) + lastsMs;
    const holdNanoUsd = BigInt(random(200));
    const caller = random(3) === 0 ? this.#options.callers.limitedCaller() : freeCaller;
    const task = { caller, operation: "videos.generations", model: "m", tokens: 1, priceVersion: "v1" };
    const requested = { ...task, purse: purseOf(caller), requestId, holdNanoUsd, untilMs };
    this.#tasks.push({ requested, submitted: false, grantId: undefined, bill: undefined });
    this.goOn(replica, this.#tasks.at(-1));
  }

  /** Does the next step of a task: requests its money, or sends its bill. */
  goOn(replica: Replica | undefined, task = this.#tasks[this.#options.random(this.#tasks.length)]): void {
    if (task === undefined || replica === undefined) return;
    const done = task.grantId === undefined ? this.#admit(replica, task) : this.#settle(replica, task, task.grantId);
    done.catch((error: unknown) => {
      // Retried later, by any replica.
      if (!(error instanceof GatewayError) && (error as { code?: string }).code !== "ENOSPC") this.fault ??= error;
    });
  }

  goOnWithAll(replica: Replica): void {
    for (const task of [...this.#tasks]) this.goOn(replica, task);
  }

  async #admit(replica: Replica, task: Task): Promise<void> {
    const { requested, submitted } = task;
    task.submitted = true;
    try {
      task.grantId = await (submitted ? replica.findTaskGrant(requested) : replica.admitTask(requested));
      if (!submitted && requested.caller !== freeCaller) this.#options.truth.admitted(this.#options.now());
    } catch (error) {
      if (error instanceof GatewayError && !error.retryable) this.#forget(task);
      throw error;
    }
  }

  async #settle(replica: Replica, task: Task, grantId: string): Promise<void> {
    const { requested } = task;
    task.bill ??= billOf(requested, grantId, BigInt(this.#options.random(Number(requested.holdNanoUsd) + 1)));
    const { costNanoUsd } = task.bill;
    const { requests } = this.#options.truth;
    const truth = requests.get(requested.requestId) ?? {
      hold: requested.holdNanoUsd,
      possible: new Set([costNanoUsd]),
      reportedCost: undefined,
      begun: false,
    };
    requests.set(requested.requestId, truth);
    await replica.settleTask(task.bill);
    truth.reportedCost = costNanoUsd;
    this.#forget(task);
  }

  #forget(task: Task): void {
    this.#tasks = this.#tasks.filter((other) => other !== task);
  }
}

function billOf(requested: AdmitTask, grantId: string, costNanoUsd: bigint): UsageEvent {
  const { requestId, caller, holdNanoUsd, operation, model, priceVersion } = requested;
  const { accountId, keyId } = caller;
  return {
    requestId,
    accountId,
    keyId,
    grantId,
    holderId: "",
    operation,
    model,
    priceVersion,
    holdNanoUsd,
    costNanoUsd,
    upstream: "",
    upstreamModel: "",
    startedAtMs: 1n,
    endedAtMs: 2n,
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
