import { GatewayError } from "@uag/contract/errors/gateway-error";
import { UpstreamFailure } from "@uag/providers/failure";
import type { VideoContext } from "../context.ts";
import type { TaskDocument } from "../store/task.ts";
import { leaseMs } from "./poll-schedule.ts";
import { callAbout, providerOf } from "./provider.ts";
import { endTask, fetchState, stepOf } from "./upstream-state.ts";

const unstoppable =
  "The provider has started this task or cannot stop it. It continues, and is charged if the provider charges for it.";

/** True when the provider has cancelled it; false when it cannot. @throws {UpstreamFailure} */
export async function cancelUpstream(context: VideoContext, task: TaskDocument): Promise<boolean> {
  const at = providerOf(context, task);
  if (at?.adapter.cancel === undefined || task.upstreamId === undefined) return false;
  await callAbout(context, { ...at, task, call: at.adapter.cancel(task.upstreamId) });
  return true;
}

/**
 * Cancels a task if the provider can: nothing is charged then. An ended task stays as it is. A
 * running one continues, since it is charged for whether we poll it or not.
 * @throws {GatewayError} `invalid_request` when it cannot be stopped, `service_unavailable` while
 * its state is unknown
 */
export async function cancelTask(context: VideoContext, task: TaskDocument): Promise<TaskDocument> {
  if (!task.live) return task;
  if (providerOf(context, task)?.adapter.cancel === undefined) {
    throw new GatewayError("invalid_request", unstoppable, { param: "id" });
  }
  const options = { outboxMs: leaseMs(context.settings) };
  const current = async (): Promise<TaskDocument> => (await context.tasks.find(task.accountId, task._id)) ?? task;
  // Polled first: some providers take the deletion of a finished task as an order to forget it.
  const { state } = await fetchState(context, task);
  if (state === undefined) {
    throw new GatewayError("service_unavailable", "The task cannot be cancelled at the moment. Retry shortly.", {
      retryAfterMs: 2_000,
    });
  }
  const step = stepOf(context, task, state);
  if (step.kind === "end") return (await endTask(context, task, { step, state, options })) ?? (await current());
  if (state.phase !== "queued" || !(await mayCancel(context, task))) {
    throw new GatewayError("invalid_request", unstoppable, { param: "id" });
  }
  const cancelled = { kind: "end", status: "cancelled", word: state.word } as const;
  return (await endTask(context, task, { step: cancelled, options })) ?? (await current());
}

async function mayCancel(context: VideoContext, task: TaskDocument): Promise<boolean> {
  try {
    return await cancelUpstream(context, task);
  } catch (error) {
    if (error instanceof UpstreamFailure && (error.kind === "client" || error.kind === "unknown_model")) return false;
    throw error;
  }
}
