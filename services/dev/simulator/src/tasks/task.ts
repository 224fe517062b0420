import type { Units, Usage } from "../usage.ts";

/** How a task ends. `unknown`: it was accepted, but cannot be found afterwards. */
export type Fate = "succeeded" | "failed" | "expired" | "cancelled" | "stuck" | "unknown";
export type Phase = "queued" | "running" | "succeeded" | "failed" | "expired" | "cancelled";

/** A task as its provider accepted it. */
export interface TaskPlan {
  readonly id: string;
  readonly provider: string;
  readonly operation: string;
  readonly model: string;
  /** Hash of the credential that created it; others cannot see it. */
  readonly owner: string;
  readonly requestHash: string;
  readonly requestId: string | null;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly durationMs: number;
  readonly fate: Fate;
  readonly failure?: { readonly code: string; readonly message: string };
  /** What the provider shows of it in addition to its progress, and the data required for that. */
  readonly facts: object;
  /** The usage reported on success, and what an honest provider reports. */
  readonly usage: Usage | undefined;
  readonly trueUsage: Usage;
  readonly units: Units;
  /** Charged although it does not succeed. */
  readonly chargedAnyway?: true;
  readonly callback?: { readonly url: string; readonly repeat: number; readonly reverse: boolean };
}

/** A plan and its history since. */
export type Task = TaskPlan & {
  polls: number;
  lastPollAt: number | undefined;
  shortestGapMs: number | undefined;
  cancelledAt: number | undefined;
  deletedAt: number | undefined;
};

const queuedShare = 0.2;

/** When a task leaves the queue, unix milliseconds. */
export function startOf({ createdAt, durationMs }: TaskPlan): number {
  return createdAt + durationMs * queuedShare;
}

/** When a task ends, unix milliseconds; Infinity when it never does. */
export function endOf(task: Task): number {
  if (task.cancelledAt !== undefined) return task.cancelledAt;
  if (task.fate === "stuck") return Number.POSITIVE_INFINITY;
  return task.fate === "cancelled" ? startOf(task) : task.createdAt + task.durationMs;
}

/**
 * The phase of a task at a given time. A task of unknown fate runs permanently, for clients that cannot
 * see it.
 */
export function phaseAt(task: Task, now: number): Phase {
  if (now < endOf(task) || task.fate === "unknown") return now < startOf(task) ? "queued" : "running";
  if (task.cancelledAt !== undefined) return "cancelled";
  return task.fate === "stuck" ? "running" : task.fate;
}

/** The progress of a task at a given time, 0 to 100. */
export function progressAt(task: Task, now: number): number {
  const start = startOf(task);
  const span = Math.max(1, task.createdAt + task.durationMs - start);
  const percent = Math.floor((100 * (now - start)) / span);
  return Math.max(0, Math.min(phaseAt(task, now) === "running" ? 99 : 100, percent));
}

/** A task as in `GET /sim/tasks`. */
export interface TaskView {
  readonly id: string;
  readonly provider: string;
  readonly operation: string;
  readonly model: string;
  readonly request_id: string | null;
  readonly request_hash: string;
  readonly created_at: string;
  /** null while it runs. */
  readonly ended_at: string | null;
  readonly status: Phase;
  readonly fate: Fate;
  readonly polls: number;
  readonly last_poll_at: string | null;
  /** The shortest time between two polls; null before the second. */
  readonly shortest_poll_gap_ms: number | null;
  readonly deleted: boolean;
  /** Whether the provider charges for it. */
  readonly charged: boolean;
  readonly usage: Usage | null;
  readonly true_usage: Usage | null;
  /** The units it is charged for; null when it is not. */
  readonly units: Units | null;
}

/** Whether the provider charges for a task in a phase, and reports its usage. */
export function isCharged(task: Task, phase: Phase): boolean {
  if (phase === "succeeded") return true;
  // Nothing was made for a task that its owner cancelled, as it was still queued.
  return task.chargedAnyway === true && task.cancelledAt === undefined && phase !== "queued" && phase !== "running";
}

function isoTime(ms: number | undefined): string | null {
  return ms === undefined || !Number.isFinite(ms) ? null : new Date(ms).toISOString();
}

export function viewOf(task: Task, now: number): TaskView {
  const status = phaseAt(task, now);
  const ended = status !== "queued" && status !== "running";
  const charged = isCharged(task, status);
  return {
    id: task.id,
    provider: task.provider,
    operation: task.operation,
    model: task.model,
    request_id: task.requestId,
    request_hash: task.requestHash,
    created_at: new Date(task.createdAt).toISOString(),
    ended_at: ended ? isoTime(endOf(task)) : null,
    status,
    fate: task.fate,
    polls: task.polls,
    last_poll_at: isoTime(task.lastPollAt),
    shortest_poll_gap_ms: task.shortestGapMs ?? null,
    deleted: task.deletedAt !== undefined,
    charged,
    usage: charged ? (task.usage ?? null) : null,
    true_usage: charged ? task.trueUsage : null,
    units: charged ? task.units : null,
  };
}
