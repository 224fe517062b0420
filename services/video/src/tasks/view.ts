import type { TaskDocument } from "../store/task.ts";

/** A task as its owner sees it. */
export interface TaskView {
  readonly id: string;
  readonly model: string;
  readonly status: string;
  /** Unix seconds. */
  readonly created_at: number;
  readonly [field: string]: unknown;
}

const seconds = (date: Date): number => Math.floor(date.getTime() / 1_000);

export function viewOf(task: TaskDocument): TaskView {
  const base = {
    id: task.ids.at(-1) ?? task._id,
    object: "video.generation",
    model: task.model,
    status: task.status,
    created_at: seconds(task.createdAt),
    ...(task.omitted !== undefined && task.omitted.length > 0 && { omitted_parameters: task.omitted }),
  };
  if (task.status === "submitted") return base;
  const { terms } = task;
  return {
    ...base,
    updated_at: seconds(task.updatedAt),
    upstream_status: task.upstreamStatus,
    duration: terms.seconds,
    resolution: terms.resolution,
    aspect_ratio: terms.aspectRatio,
    ...(!task.live && { completed_at: seconds(task.endedAt ?? task.updatedAt) }),
    ...(task.status === "succeeded" && { content: task.content, seed: task.seed ?? null }),
    // Also of a task that failed, if its provider charges for it.
    ...(task.usage !== undefined && { usage: task.usage }),
    ...(task.failure !== undefined && task.status !== "succeeded" && { error: errorOf(task) }),
  };
}

function errorOf({ status, failure }: TaskDocument): object {
  return { code: status === "expired" ? "expired" : "failed", message: failure };
}
