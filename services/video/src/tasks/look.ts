import { UpstreamFailure } from "@uag/upstreams/failure.ts";
import type { VideoState } from "@uag/upstreams/video/types.ts";
import type { VideoContext } from "../context.ts";
import type { EndOptions } from "../store/changes.ts";
import type { TaskDocument } from "../store/task.ts";
import { endingOf } from "./ending.ts";
import { nextStep, type Step } from "./machine.ts";
import { callAbout, providerOf } from "./provider.ts";

/** What the provider says of a task; undefined when the look came to nothing. */
export async function lookAt(context: VideoContext, task: TaskDocument): Promise<VideoState | undefined> {
  const at = providerOf(context, task);
  if (at === undefined || task.upstreamId === undefined) return undefined;
  try {
    const { body, status } = await callAbout(context, { ...at, task, call: at.adapter.look(task.upstreamId) });
    context.video.looked(task.provider, "ok");
    return at.adapter.read(body, status, at.upstream);
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error;
    context.video.looked(task.provider, "failed");
    if (error.status === 404) return { phase: "unknown", word: "not_found" };
    context.events.upstreamFailed(task.requestId, at.upstream, error);
    return undefined;
  }
}

export function stepOf(task: TaskDocument, state: VideoState | undefined): Step {
  return nextStep({ ...task, guessed: task.guessed === true }, state, Date.now());
}

/**
 * Ends a task and sets off what follows. Undefined when somebody else had ended it, or has it now.
 */
export async function finish(
  context: VideoContext,
  task: TaskDocument,
  end: { step: Extract<Step, { kind: "end" }>; state?: VideoState | undefined; options: EndOptions },
): Promise<TaskDocument | undefined> {
  const { step, state, options } = end;
  const ended = await context.tasks.end(task._id, endingOf(task, { ...step, state }, new Date()), options);
  if (ended === undefined) return undefined;
  context.video.ended(ended);
  context.hub.tell(ended);
  context.aftermath.begin(ended);
  return ended;
}
