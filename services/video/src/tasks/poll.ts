import type { VideoContext } from "../context.ts";
import { keptResult } from "../results/kept-result.ts";
import type { Reschedule } from "../store/changes.ts";
import type { TaskDocument, TaskFault } from "../store/task.ts";
import { leaseMs, pollDelayMs } from "./poll-schedule.ts";
import { providerOf } from "./provider.ts";
import { recover } from "./recover.ts";
import { endTask, fetchState, stepOf } from "./upstream-state.ts";

const usualPollMs = 15_000;

/**
 * Polls one claimed task: reads its state from its provider, and ends it or reschedules it.
 * @returns how it is rescheduled; undefined when it has ended
 */
export async function pollTask(context: VideoContext, task: TaskDocument): Promise<Reschedule | undefined> {
  if (task.upstreamId === undefined) return await recover(context, task);
  const polled = await fetchState(context, task);
  const kept = await keptResult(context, task, polled.state);
  if ("later" in kept) return kept.later;
  const { state, fault = polled.fault } = kept;
  const step = stepOf(context, task, state);
  if (step.kind === "end") {
    const options = { claim: task.claim, outboxMs: leaseMs(context.settings) };
    if ((await endTask(context, { ...task, ...(fault && { fault }) }, { step, state, options })) !== undefined) {
      context.video.polled(task.provider, "ended");
    }
    return undefined;
  }
  const pollMs = providerOf(context, task)?.adapter.pollMs ?? usualPollMs;
  const ageMs = Date.now() - task.createdAt.getTime();
  const pauseMs = pollDelayMs(context.settings, { pollMs, ageMs }) * slowdownAfter(fault);
  const { _id: id, claim } = task;
  const { status, word: upstreamStatus, misses } = step;
  // No later than its deadline, when it is polled for the last time.
  const dueMs = Math.min(Date.now() + pauseMs, Math.max(task.expiresAt.getTime(), Date.now() + 1));
  return { id, claim, status, upstreamStatus, misses, fault, dueAt: new Date(dueMs) };
}

/** Consecutive faults make polls rarer, up to this factor; they end with the task's deadline. */
const maxFaultSlowdown = 8;

function slowdownAfter(fault: TaskFault | undefined): number {
  return fault === undefined ? 1 : Math.min(maxFaultSlowdown, 2 ** (fault.count - 1));
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
