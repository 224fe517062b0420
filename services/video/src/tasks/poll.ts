import type { VideoState } from "@uag/providers/video/types";
import type { VideoContext } from "../context.ts";
import type { Reschedule } from "../store/changes.ts";
import type { TaskDocument } from "../store/task.ts";
import { leaseMs, pollDelayMs } from "./poll-schedule.ts";
import { providerOf } from "./provider.ts";
import { recover } from "./recover.ts";
import { endTask, fetchState, stepOf } from "./upstream-state.ts";

const usualPollMs = 15_000;

/** Attempts to keep a result before falling back to the provider's own URL. */
const maxKeepTries = 3;

/**
 * The provider's response, with its file copied to our own store if it would soon be gone from the
 * provider's.
 */
async function withKeptResult(
  context: VideoContext,
  task: TaskDocument,
  seen: VideoState | undefined,
): Promise<VideoState | undefined | "busy" | "missed"> {
  const { keeper, video } = context;
  const shortLived = providerOf(context, task)?.adapter.shortLivedResults === true;
  if (keeper === undefined || !shortLived || seen?.phase !== "succeeded" || seen.videoUrl === undefined) return seen;
  try {
    // Fetching and storing get a full claim of their own: the poll may have used up most of this
    // one.
    await context.tasks.reschedule([rescheduledAt(task, Date.now() + leaseMs(context.settings))]);
    const videoUrl = await keeper.keep(seen.videoUrl);
    return videoUrl === undefined ? "busy" : { ...seen, videoUrl };
  } catch (error) {
    video.stumbled("results", error);
    return task.misses + 1 < maxKeepTries ? "missed" : seen;
  }
}

/** Leaves the task unchanged, due again at `dueMs`. */
function rescheduledAt(task: TaskDocument, dueMs: number): Reschedule {
  const { _id: id, claim, status, upstreamStatus, misses } = task;
  return { id, claim, status, upstreamStatus, misses, dueAt: new Date(dueMs) };
}

function keepLater({ settings }: VideoContext, task: TaskDocument, missed: boolean): Reschedule {
  const later = rescheduledAt(task, Date.now() + pollDelayMs(settings, { pollMs: 5_000, ageMs: 0 }));
  return { ...later, misses: task.misses + (missed ? 1 : 0) };
}

/**
 * Polls one claimed task: reads its state from its provider, and ends it or reschedules it.
 * @returns how it is rescheduled; undefined when it has ended
 */
export async function pollTask(context: VideoContext, task: TaskDocument): Promise<Reschedule | undefined> {
  if (task.upstreamId === undefined) return await recover(context, task);
  const seen = await fetchState(context, task);
  const kept = await withKeptResult(context, task, seen);
  if (kept === "busy" || kept === "missed") return keepLater(context, task, kept === "missed");
  const state = kept;
  const step = stepOf(context, task, state);
  if (step.kind === "end") {
    const options = { claim: task.claim, outboxMs: leaseMs(context.settings) };
    if ((await endTask(context, task, { step, state, options })) !== undefined) {
      context.video.polled(task.provider, "ended");
    }
    return undefined;
  }
  const pollMs = providerOf(context, task)?.adapter.pollMs ?? usualPollMs;
  const ageMs = Date.now() - task.createdAt.getTime();
  const pauseMs = pollDelayMs(context.settings, { pollMs, ageMs });
  const { _id: id, claim } = task;
  const { status, word: upstreamStatus, misses } = step;
  // No later than its deadline, when it is polled for the last time.
  const dueMs = Math.min(Date.now() + pauseMs, Math.max(task.expiresAt.getTime(), Date.now() + 1));
  return { id, claim, status, upstreamStatus, misses, dueAt: new Date(dueMs) };
}

/**
 * Ends a task whose poll threw, once it is past its deadline: otherwise it would be polled forever,
 * and its hold kept.
 */
export async function expireOverdue(context: VideoContext, task: TaskDocument): Promise<void> {
  const step = stepOf(context, task, undefined);
  const options = { claim: task.claim, outboxMs: leaseMs(context.settings) };
  if (step.kind === "end") await endTask(context, task, { step, options });
}
