import type { Fields } from "@uag/providers/conversation/fields";
import { detailsOf, UpstreamFailure } from "@uag/providers/failure";
import type { VideoState, VideoUsage } from "@uag/providers/video/types";
import type { VideoContext } from "../context.ts";
import type { EndOptions } from "../store/changes.ts";
import type { TaskDocument, TaskFault } from "../store/task.ts";
import { countBill } from "./count-bill.ts";
import { nextStep, type Step } from "./machine.ts";
import { callAbout, providerOf, type TaskProvider } from "./provider.ts";
import { terminalStateOf } from "./terminal-state.ts";

/** What a poll found: the task's state at its provider, or why there is none. */
export interface Polled {
  readonly state?: VideoState;
  readonly fault?: TaskFault;
}

/** Polls a task at its provider. Empty when the catalogue no longer has the provider. */
export async function fetchState(context: VideoContext, task: TaskDocument): Promise<Polled> {
  const at = providerOf(context, task);
  if (at === undefined || task.upstreamId === undefined) return {};
  const { adapter, upstream } = at;
  let body: Fields = {};
  try {
    const response = await callAbout(context, { ...at, task, call: adapter.poll(task.upstreamId) });
    ({ body } = response);
    const state = adapter.read(response, upstream);
    context.video.polled(task.provider, "ok");
    return { state };
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error;
    context.video.polled(task.provider, "failed");
    if (error.status === 404) return { state: { phase: "unknown", word: "not_found" } };
    context.events.upstreamFailed(task.requestId, upstream, error);
    return { fault: faultOf(task, error, { at, usage: adapter.usageIn(body) }) };
  }
}

function faultOf(
  task: TaskDocument,
  failure: UpstreamFailure,
  { at, usage }: { at: TaskProvider; usage: VideoUsage | undefined },
): TaskFault {
  const { failure: kind, status, message } = detailsOf(failure, at.upstream.provider);
  return {
    ...nextFault(task, { failure: kind, status, message }),
    ...(usage !== undefined && { usage }),
    ...(failure.received !== undefined && { unusable: true }),
  };
}

/** The task's next fault, which counts those before it. */
export function nextFault(
  { fault }: Pick<TaskDocument, "fault">,
  cause: Pick<TaskFault, "failure" | "status" | "message">,
): TaskFault {
  return { at: new Date(), count: (fault?.count ?? 0) + 1, ...cause };
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
  context.video.ended(ended, state === undefined);
  countBill(context.events, ended);
  context.completions.notify(ended);
  context.outbox.process(ended);
  return ended;
}
