import { type Fields, fieldsOf, isFields, listOf, numberOf, textOf } from "../conversation/fields.ts";
import { UpstreamFailure } from "../failure.ts";
import { openAiFailure } from "../openai-compatible/errors.ts";
import { redact } from "../redact.ts";
import type { ListedVideo, LostVideo, VideoAdapter, VideoPhase, VideoState, VideoUsage } from "../video/types.ts";
import { dashScopeVariant } from "./variant.ts";
import { resolutionOfSize } from "./video-sizes.ts";

/** DashScope's task states (Model Studio, managing asynchronous tasks). */
const phases: Readonly<Record<string, VideoPhase>> = {
  PENDING: "queued",
  RUNNING: "running",
  SUSPENDED: "running",
  SUCCEEDED: "succeeded",
  FAILED: "failed",
  CANCELED: "cancelled",
  UNKNOWN: "unknown",
};

/** Wan and HappyHorse on DashScope share one protocol. */
export const wanVideo: VideoAdapter = {
  familyOf: (model) => (model.startsWith("happyhorse") ? "happy" : "wan"),
  pollMs: 15_000,
  lifeMs: 24 * 3_600_000,
  create: (order, upstream) => ({
    method: "POST",
    path: "/api/v1/services/aigc/video-generation/video-synthesis",
    headers: ["x-dashscope-async", "enable"],
    body: { model: upstream.model, ...order.body },
  }),
  createdId: (body) => textOf(fieldsOf(body["output"])["task_id"]),
  poll: (id) => ({ method: "GET", path: `/api/v1/tasks/${encodeURIComponent(id)}` }),
  cancel: (id) => ({ method: "POST", path: `/api/v1/tasks/${encodeURIComponent(id)}/cancel` }),
  list: { exact: false, call: (lost) => ({ method: "GET", path: listPath(lost) }), read: readList },
  usageIn: dashscopeVideoUsage,
  read: ({ body, status }, { provider }) => {
    const output = fieldsOf(body["output"]);
    const word = textOf(output["task_status"]) ?? "";
    const phase = phases[word];
    if (phase === undefined)
      throw new UpstreamFailure("transient", "the response has no status of the task", { status });
    const reason = textOf(output["message"]) ?? textOf(output["code"]);
    return {
      ...resultOf(output),
      phase,
      word,
      usage: dashscopeVideoUsage(body),
      reason: reason && redact(reason, provider),
    };
  },
  failureOf: (response, upstream) => openAiFailure(response, upstream, dashScopeVariant),
};

function resultOf(output: Fields): Pick<VideoState, "videoUrl" | "seed" | "prompt"> {
  return {
    videoUrl: textOf(output["video_url"]) || undefined,
    seed: numberOf(output["seed"]),
    prompt: textOf(output["orig_prompt"]),
  };
}

/**
 * The usage format differs between generations: `video_duration` and `video_ratio` (which holds a
 * size) up to 2.5, `duration` and `SR` from 2.6 on.
 */
function dashscopeVideoUsage(body: Fields): VideoUsage | undefined {
  const raw = body["usage"];
  if (!isFields(raw)) return undefined;
  const tier = raw["SR"];
  const size = textOf(raw["size"]) ?? textOf(raw["video_ratio"]);
  const resolution = tier === undefined ? size && resolutionOfSize(size) : `${Number.parseInt(String(tier), 10)}p`;
  return { raw, seconds: numberOf(raw["duration"]) ?? numberOf(raw["video_duration"]), resolution };
}

function listPath({ upstreamModel, fromMs, untilMs }: LostVideo): string {
  const query = new URLSearchParams({
    start_time: stamp(fromMs),
    end_time: stamp(untilMs),
    model_name: upstreamModel,
    page_no: "1",
    page_size: "100",
  });
  return `/api/v1/tasks/?${query}`;
}

/** `YYYYMMDDhhmmss` in Beijing time, as the listing requires. */
function stamp(ms: number): string {
  const beijing = new Date(ms + 8 * 3_600_000).toISOString();
  return beijing.replaceAll(/\D/g, "").slice(0, 14);
}

function readList(body: Fields): ListedVideo[] {
  const output = fieldsOf(body["output"]);
  const items = [body["data"], output["data"], output["tasks"], body["tasks"]].find(Array.isArray);
  return listOf(items).flatMap((item) => {
    const id = textOf(fieldsOf(item)["task_id"]);
    return id === undefined ? [] : [{ id, taskId: undefined }];
  });
}
