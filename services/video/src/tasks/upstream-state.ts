import { UpstreamFailure } from "@uag/providers/failure";
import type { VideoState } from "@uag/providers/video/types";
import type { VideoContext } from "../context.ts";
import type { EndOptions } from "../store/changes.ts";
import type { TaskDocument } from "../store/task.ts";
import { countBill } from "./count-bill.ts";
import { nextStep, type Step } from "./machine.ts";
import { callAbout, providerOf } from "./provider.ts";
import { terminalStateOf } from "./terminal-state.ts";

/** A task's state at its provider; undefined when the poll failed. */
export async function fetchState(context: VideoContext, task: TaskDocument): Promise<VideoState | undefined> {
  const at = providerOf(context, task);
  if (at === undefined || task.upstreamId === undefined) return undefined;
  try {
    const { body, status } = await callAbout(context, { ...at, task, call: at.adapter.poll(task.upstreamId) });
    context.video.polled(task.provider, "ok");
    return at.adapter.read(body, status, at.upstream);
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error;
    context.video.polled(task.provider, "failed");
    if (error.status === 404) return { phase: "unknown", word: "not_found" };
    context.events.upstreamFailed(task.requestId, at.upstream, error);
    return undefined;
  }
}

/** @throws {GatewayError} `service_unavailable` while the database's time is not known */
export function stepOf({ clock }: VideoContext, task: TaskDocument, state: VideoState | undefined): Step {
  return nextStep({ ...task, guessed: task.guessed === true }, state, clock.now());
}

/**
 * Ends a task, notifies waiting requests and starts processing its outbox. Undefined when another
 * process has ended or claimed it.
 */
export async function endTask(
  context: VideoContext,
  task: TaskDocument,
  end: { step: Extract<Step, { kind: "end" }>; state?: VideoState | undefined; options: EndOptions },
): Promise<TaskDocument | undefined> {
  const { step, state, options } = end;
  const ended = await context.tasks.end(task._id, terminalStateOf(task, { ...step, state }, new Date()), options);
  if (ended === undefined) return undefined;
  context.video.ended(ended);
  countBill(context.events, ended);
  context.completions.notify(ended);
  context.outbox.process(ended);
  return ended;
}
