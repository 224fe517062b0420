import { endOf, isCharged, type Phase, startOf, type Task } from "../tasks/task.ts";
import { resultUrl } from "../tasks/urls.ts";
import { type SeedanceOutput, seedanceFps } from "./seedance-output.ts";

/** Additional state of a Seedance task. */
export interface SeedanceFacts {
  readonly digest: string;
  readonly caption: string;
  readonly output: SeedanceOutput;
  readonly lastFrame: boolean;
  /** Fields of the request that the task repeats. */
  readonly repeated: { readonly [field: string]: unknown };
}

function contentOf(task: Task, { digest, caption, output, lastFrame }: SeedanceFacts): object {
  const { width, height, duration: seconds, sound } = output;
  const video = resultUrl(task, { kind: "video", digest, width, height, seconds, sound });
  if (!lastFrame) return { video_url: video };
  return {
    video_url: video,
    last_frame_url: resultUrl(task, { kind: "image", digest, caption, width, height, format: "png" }),
  };
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}

function changedAt(task: Task, phase: Phase): number {
  if (phase === "queued") return task.createdAt;
  return phase === "running" ? startOf(task) : endOf(task);
}

/** Ark's task object in a phase, as returned by a lookup or a callback. */
export function arkTaskBody(task: Task, phase: Phase): object {
  const facts = task.facts as unknown as SeedanceFacts;
  const { output } = facts;
  const isDone = phase === "succeeded";
  const length = output.frames === undefined ? { duration: output.duration } : { frames: output.frames };
  return {
    id: task.id,
    model: task.model,
    status: phase,
    ...(phase === "failed" && { error: task.failure }),
    ...(isDone && { content: contentOf(task, facts) }),
    ...(isCharged(task, phase) && task.usage !== undefined && { usage: task.usage }),
    created_at: seconds(task.createdAt),
    updated_at: seconds(changedAt(task, phase)),
    ...(isDone && {
      seed: output.seed,
      resolution: output.resolution,
      ratio: output.ratio,
      ...length,
      framespersecond: seedanceFps,
    }),
    ...facts.repeated,
  };
}
