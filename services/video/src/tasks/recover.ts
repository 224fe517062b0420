import { GatewayError } from "@uag/contract/errors/gateway-error";
import { UpstreamFailure } from "@uag/providers/failure";
import type { ListedVideo } from "@uag/providers/video/types";
import type { VideoContext } from "../context.ts";
import type { Reschedule } from "../store/changes.ts";
import type { TaskDocument } from "../store/task.ts";
import { admissionOf } from "./grant.ts";
import { unconfirmed } from "./machine.ts";
import { createLeaseMs, leaseMs, pollDelayMs } from "./poll-schedule.ts";
import { callAbout, providerOf, type TaskProvider } from "./provider.ts";
import { endTask } from "./upstream-state.ts";

/** Searches before a task counts as never created. */
const maxSearches = 3;

/**
 * Completes a submission with unknown outcome: its process died, or the provider's response was lost.
 * The task is never created again. It is searched for if the provider lists its tasks; if not
 * found, it has failed and costs nothing.
 * @returns how it is rescheduled for another search; otherwise undefined
 */
export async function recover(context: VideoContext, task: TaskDocument): Promise<Reschedule | undefined> {
  const held = await withGrant(context, task);
  const at = providerOf(context, held);
  const found = at === undefined ? undefined : await search(context, held, at);
  if (found !== undefined && at !== undefined) {
    const dueAt = new Date(Date.now() + pollDelayMs(context.settings, { pollMs: at.adapter.pollMs, ageMs: 0 }));
    const { _id: id, grantId = "", provider, upstreamModel, status } = held;
    const guessed = at.adapter.list?.exact !== true;
    const ids = held.family === "seedance" ? [found] : [];
    const created = { upstreamId: found, ids, grantId, provider, upstreamModel, status, guessed, dueAt };
    // The client may have received our id.
    await context.tasks.recordResponse(held);
    if ((await context.tasks.created(id, created)) !== undefined) context.video.recovered(held, true);
    context.wakeups.of(provider).wakeAt(dueAt.getTime());
    return undefined;
  }
  const canSearch = at?.adapter.list !== undefined && !held.hidden && !isOverdue(context, held);
  if (canSearch && held.misses + 1 < maxSearches) return searchAgain(context, held);
  const step = { kind: "end", status: "failed", word: "", failure: unconfirmed } as const;
  const options = { claim: held.claim, unmade: true, outboxMs: leaseMs(context.settings) };
  if ((await endTask(context, held, { step, options })) !== undefined) context.video.recovered(held, false);
  return undefined;
}

function searchAgain({ settings }: VideoContext, task: TaskDocument): Reschedule {
  const { _id: id, claim, status, upstreamStatus, misses, fault } = task;
  const dueAt = new Date(Date.now() + pollDelayMs(settings, { pollMs: 10_000, ageMs: 0 }));
  return { id, claim, status, upstreamStatus, misses: misses + 1, fault, dueAt };
}

/**
 * Billing knows whether the dead process had reserved the money: asking again returns the same
 * grant. A refusal is final: the task continues without a grant, and whatever it costs is charged to
 * its account. Without a response it is asked again until the task expires.
 */
async function withGrant(context: VideoContext, task: TaskDocument): Promise<TaskDocument> {
  if (task.grantId !== undefined) return task;
  const grantId = await context.admission.findTaskGrant(admissionOf(task)).catch((error: unknown) => {
    if (!isRefusal(error) && !isOverdue(context, task)) throw error;
    context.video.recoveredWithoutGrant(task, error);
    return "";
  });
  await context.tasks.setGrant(task._id, grantId);
  return { ...task, grantId };
}

/** Billing's decision, unlike a failure to reach it. */
function isRefusal(error: unknown): boolean {
  return error instanceof GatewayError && error.httpStatus < 500;
}

function isOverdue({ clock }: VideoContext, task: TaskDocument): boolean {
  return clock.now() >= task.expiresAt.getTime();
}

/** How far the provider's clock may differ from ours. */
const clockSlackMs = 60_000;

/** The provider's id of the task, if it is certain enough. */
async function search(context: VideoContext, task: TaskDocument, at: TaskProvider): Promise<string | undefined> {
  const { list } = at.adapter;
  // No provider was asked for a hidden task.
  if (list === undefined || task.hidden) return undefined;
  const createdMs = task.createdAt.getTime();
  const fromMs = createdMs - clockSlackMs;
  const untilMs = createdMs + createLeaseMs(context.settings) + clockSlackMs;
  const call = list.call({ taskId: task._id, upstreamModel: task.upstreamModel, fromMs, untilMs });
  let listed: readonly ListedVideo[];
  try {
    listed = list.read((await callAbout(context, { ...at, task, call })).body);
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error;
    context.events.upstreamFailed(task.requestId, at.upstream, error);
    return undefined;
  }
  if (list.exact) return listed.find(({ taskId }) => taskId === task._id)?.id;
  return await onlyStranger(context, task, listed);
}

/** When nothing identifies tasks: the only unknown one, provided only one of ours lacks its id. */
async function onlyStranger(
  { tasks, settings }: VideoContext,
  task: TaskDocument,
  listed: readonly ListedVideo[],
): Promise<string | undefined> {
  const ids = listed.map(({ id }) => id);
  const known = await tasks.known(task.provider, ids);
  const strangers = ids.filter((id) => !known.has(id));
  if (strangers.length !== 1) return undefined;
  // Tasks further apart than this are never in each other's listing.
  const withinMs = createLeaseMs(settings) + 2 * clockSlackMs;
  return (await tasks.lostBeside(task, withinMs)) === 1 ? strangers[0] : undefined;
}
