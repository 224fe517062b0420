import { createHash } from "node:crypto";
import type { VideoState } from "@uag/providers/video/types";
import type { EndStatus, TaskDocument, TaskStatus } from "../store/task.ts";

/**
 * Consecutive polls that find nothing before a task counts as lost: a provider's replicas may lag
 * behind each other.
 */
const maxMisses = 3;

export type Step =
  | { readonly kind: "end"; readonly status: EndStatus; readonly word: string; readonly failure?: string | undefined }
  | { readonly kind: "continue"; readonly status: TaskStatus; readonly word: string; readonly misses: number };

/** The fields of a task that determine its next step. */
export type Standing = Pick<TaskDocument, "status" | "upstreamStatus" | "misses" | "promptHash"> & {
  readonly expiresAt: Date;
  /** Its provider id was found by searching the provider's listing. */
  readonly guessed: boolean;
};

const rank: Partial<Record<TaskStatus, number>> = { submitted: 0, queued: 1, running: 2 };

export function promptHash(prompt: string): string {
  return createHash("sha256").update(prompt).digest("hex");
}

/**
 * The next step of a task, given its state at the provider, or `undefined` when the poll failed.
 * Pure. A task never goes back from running to queued, in whatever order responses arrive.
 */
export function nextStep(task: Standing, seen: VideoState | undefined, nowMs: number): Step {
  const overdue = nowMs >= task.expiresAt.getTime();
  if (seen === undefined) {
    return overdue ? expired(task.upstreamStatus) : continued(task, task.status, task.upstreamStatus, task.misses);
  }
  const { phase, word } = seen;
  switch (phase) {
    case "succeeded":
      return succeeded(task, seen, overdue);
    case "failed":
      return { kind: "end", status: "failed", word, failure: seen.reason ?? "The provider gave no reason." };
    case "cancelled":
      return { kind: "end", status: "cancelled", word };
    case "expired":
      return { kind: "end", status: "expired", word, failure: seen.reason };
    case "unknown":
      if (overdue || task.misses + 1 >= maxMisses) return expired(word);
      return continued(task, task.status, word, task.misses + 1);
    default:
      if (overdue) return expired(word);
      return continued(task, phase, word, 0);
  }
}

function succeeded(task: Standing, seen: VideoState, overdue: boolean): Step {
  const { word } = seen;
  // Another customer's video must never reach this account.
  if (!isConfirmed(task, seen)) {
    return { kind: "end", status: "failed", word, failure: unconfirmed };
  }
  if (seen.videoUrl !== undefined) return { kind: "end", status: "succeeded", word };
  if (overdue || task.misses + 1 >= maxMisses) {
    return { kind: "end", status: "failed", word, failure: "The provider finished without a video." };
  }
  return continued(task, "running", word, task.misses + 1);
}

/** Whether the provider's task is certainly this one. */
export function isConfirmed(
  { guessed, promptHash: hash }: Pick<TaskDocument, "guessed" | "promptHash">,
  seen: VideoState | undefined,
): boolean {
  return guessed !== true || (seen?.prompt !== undefined && promptHash(seen.prompt) === hash);
}

/** The failure message of a task that may or may not have reached the provider. */
export const unconfirmed =
  "The provider did not confirm that it accepted the task. It was not charged and may be submitted again.";

function expired(word: string): Step {
  return { kind: "end", status: "expired", word, failure: "The task did not end in time." };
}

function continued(task: Standing, status: TaskStatus, word: string, misses: number): Step {
  const later = (rank[status] ?? 0) > (rank[task.status] ?? 0) ? status : task.status;
  return { kind: "continue", status: later, word, misses };
}
