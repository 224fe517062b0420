import type { VideoState } from "@uag/providers/video/types";
import type { VideoContext } from "../context.ts";
import type { Reschedule } from "../store/changes.ts";
import type { TaskDocument, TaskFault } from "../store/task.ts";
import { leaseMs, pollDelayMs } from "../tasks/poll-schedule.ts";
import { providerOf } from "../tasks/provider.ts";
import { nextFault } from "../tasks/upstream-state.ts";
import { DownloadFault } from "./download.ts";

/** Attempts to keep a result; with the delays between them they take about a minute. */
const maxTries = 5;
const firstDelayMs = 5_000;

/** The provider's response with the result that its owner gets, or when to try again. */
export type Kept =
  | { readonly state: VideoState | undefined; readonly fault?: TaskFault | undefined }
  | { readonly later: Reschedule };

/**
 * The provider's response, with its file copied to our own store if it would soon be gone from the
 * provider's. If that fails repeatedly, the provider's URL is passed on, as the fault may be ours;
 * a URL that has no video for anyone ends the task as failed, which its provider charges for.
 */
export async function keptResult(
  context: VideoContext,
  task: TaskDocument,
  seen: VideoState | undefined,
): Promise<Kept> {
  const { keeper, video, clock, settings, tasks } = context;
  const shortLived = providerOf(context, task)?.adapter.shortLivedResults === true;
  if (keeper === undefined || !shortLived || seen?.phase !== "succeeded" || seen.videoUrl === undefined)
    return { state: seen };
  const isOverdue = clock.now() >= task.expiresAt.getTime();
  try {
    // Fetching and storing get a full claim of their own: the poll may have used up most of this one.
    await tasks.reschedule([rescheduledAt(task, Date.now() + leaseMs(settings))]);
    const videoUrl = await keeper.keep(seen.videoUrl, task.accountId);
    if (videoUrl !== undefined) return { state: { ...seen, videoUrl } };
    return isOverdue ? { state: seen } : { later: later(context, task) };
  } catch (error) {
    const isLast = isOverdue || task.misses + 1 >= maxTries;
    video.resultFailed(task, error, isLast);
    const fault = downloadFaultOf(task, error);
    if (!isLast) return { later: { ...later(context, task), misses: task.misses + 1, fault } };
    const isMissing = error instanceof DownloadFault && error.isMissing;
    return { state: isMissing ? undelivered(seen, error) : seen, fault };
  }
}

function downloadFaultOf(task: TaskDocument, error: unknown): TaskFault {
  const status = error instanceof DownloadFault ? error.status : 0;
  const message = error instanceof Error ? error.message : String(error);
  return nextFault(task, { failure: "download", status, message: message.slice(0, 300) });
}

function undelivered(seen: VideoState, { message }: DownloadFault): VideoState {
  const reason = `The provider's video cannot be downloaded: ${message}. The provider charges for it, so the task is billed.`;
  return { ...seen, phase: "failed", charged: true, videoUrl: undefined, reason };
}

/** Leaves the task unchanged, due again at `dueMs`. */
function rescheduledAt(task: TaskDocument, dueMs: number): Reschedule {
  const { _id: id, claim, status, upstreamStatus, misses, fault } = task;
  return { id, claim, status, upstreamStatus, misses, fault, dueAt: new Date(dueMs) };
}

function later({ settings }: VideoContext, task: TaskDocument): Reschedule {
  const pollMs = firstDelayMs * 2 ** Math.min(task.misses, maxTries);
  return rescheduledAt(task, Date.now() + pollDelayMs(settings, { pollMs, ageMs: 0 }));
}
