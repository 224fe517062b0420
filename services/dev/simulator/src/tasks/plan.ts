import { reportedUsage } from "../faults/usage.ts";
import type { Call } from "../http/types.ts";
import type { Units, Usage } from "../usage.ts";
import { ownerOf } from "./store.ts";
import type { Fate, Task, TaskPlan } from "./task.ts";

interface Failure {
  readonly code: string;
  readonly message: string;
}

/** An operation's part of the task that it accepts; faults decide the rest. */
export interface NewTask {
  readonly id: string;
  readonly provider: string;
  readonly operation: string;
  readonly facts: object;
  readonly trueUsage: Usage;
  readonly units: Units;
  /** Why it fails on its own, e.g. because of a field error that only the task finds. */
  readonly failure?: Failure | undefined;
  readonly chargedAnyway?: boolean;
  /** The error code of a failure caused by a fault. */
  readonly failCode: string;
  readonly callbackUrl?: string | undefined;
}

function fateOf({ faults }: Call, failure: Failure | undefined): Fate {
  if (faults["task-unknown"] !== undefined) return "unknown";
  if (faults["task-cancelled"] !== undefined) return "cancelled";
  if (faults["task-stuck"] !== undefined) return "stuck";
  if (faults["task-expire"] !== undefined) return "expired";
  return failure === undefined ? "succeeded" : "failed";
}

function callbackOf({ faults }: Call, url: string | undefined): TaskPlan["callback"] {
  if (url === undefined) return undefined;
  return { url, repeat: faults["callback-repeat"] ?? 1, reverse: faults["callback-reverse"] !== undefined };
}

/** Accepts a task: its fate and duration are decided and stored before the response. */
export function acceptTask(call: Call, task: NewTask): Task {
  const { faults } = call;
  const requested = faults["task-fail"];
  const failure = requested === undefined ? task.failure : { code: task.failCode, message: requested };
  const callback = callbackOf(call, task.callbackUrl);
  return call.tasks.add({
    id: task.id,
    provider: task.provider,
    operation: task.operation,
    model: call.model ?? "",
    owner: ownerOf(call.credential),
    requestHash: call.digest,
    requestId: call.requestId ?? null,
    createdAt: call.tasks.now(),
    durationMs: faults["task-ms"] ?? call.tasks.taskMs,
    fate: fateOf(call, failure),
    ...(failure !== undefined && { failure }),
    facts: {
      ...task.facts,
      origin: call.origin,
      emptyUrl: faults["task-empty-url"] !== undefined,
      expiredUrl: faults["media-expired"] !== undefined,
      ...(faults["media-slow"] !== undefined && { slowUrl: faults["media-slow"] }),
    },
    usage: reportedUsage(task.trueUsage, faults),
    trueUsage: task.trueUsage,
    units: task.units,
    ...((task.chargedAnyway || faults["task-charged"] !== undefined) && { chargedAnyway: true }),
    ...(callback !== undefined && { callback }),
  });
}

/**
 * Whether this poll, `gapMs` after the previous one, is sooner than the fault `poll-limit` allows.
 */
export function polledTooSoon(call: Call, gapMs: number): boolean {
  const limit = call.faults["poll-limit"];
  return limit !== undefined && gapMs < limit;
}
