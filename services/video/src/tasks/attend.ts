import type { VideoContext } from "../context.ts";
import type { TaskDocument } from "../store/task.ts";
import type { GoOn } from "../store/tasks.ts";
import { finish, lookAt, stepOf } from "./look.ts";
import { leaseMs, nextLookMs } from "./pace.ts";
import { providerOf } from "./provider.ts";
import { recover } from "./recover.ts";

const usualPollMs = 15_000;

/**
 * Looks after one claimed task: asks its provider how it stands, and ends it or says when to look again.
 * @returns what to note when it goes on
 */
export async function attend(context: VideoContext, task: TaskDocument): Promise<GoOn | undefined> {
  if (task.upstreamId === undefined) return await recover(context, task);
  const state = await lookAt(context, task);
  const step = stepOf(task, state);
  if (step.kind === "end") {
    const options = { claim: task.claim, outboxMs: leaseMs(context.settings) };
    if ((await finish(context, task, { step, state, options })) !== undefined) {
      context.video.looked(task.provider, "ended");
    }
    return undefined;
  }
  const pollMs = providerOf(context, task)?.adapter.pollMs ?? usualPollMs;
  const ageMs = Date.now() - task.createdAt.getTime();
  const pauseMs = nextLookMs(context.settings, { pollMs, ageMs });
  const { _id: id, claim } = task;
  const { status, word: upstreamStatus, misses } = step;
  // Not later than its age limit: then it is looked at for the last time.
  const dueMs = Math.min(Date.now() + pauseMs, Math.max(task.expiresAt.getTime(), Date.now() + 1));
  return { id, claim, status, upstreamStatus, misses, dueAt: new Date(dueMs) };
}
