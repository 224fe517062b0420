import { countOf, type Fields, fieldsOf, isFields, listOf, numberOf, textOf } from "../conversation/fields.ts";
import { UpstreamFailure } from "../failure.ts";
import { openAiFailure } from "../openai-compatible/errors.ts";
import { redact } from "../redact.ts";
import type { ListedVideo, VideoAdapter, VideoPhase, VideoUsage } from "../video/types.ts";
import { arkVariant } from "./variant.ts";

const phases: Readonly<Record<string, VideoPhase>> = {
  queued: "queued",
  running: "running",
  succeeded: "succeeded",
  failed: "failed",
  cancelled: "cancelled",
  expired: "expired",
};

const tasksPath = "/contents/generations/tasks";

/** Seedance on Ark (ModelArk's video generation API). */
export const seedanceVideo: VideoAdapter = {
  familyOf: () => "seedance",
  pollMs: 5_000,
  // Ark expires a task after this long by default.
  lifeMs: 48 * 3_600_000,
  create: (order, upstream) => ({
    method: "POST",
    path: tasksPath,
    // Returned in every listing, so a task whose creation response was lost can be found by it.
    body: { model: upstream.model, safety_identifier: order.taskId, ...order.body },
  }),
  createdId: (body) => textOf(body["id"]),
  poll: (id) => ({ method: "GET", path: `${tasksPath}/${encodeURIComponent(id)}` }),
  cancel: (id) => ({ method: "DELETE", path: `${tasksPath}/${encodeURIComponent(id)}` }),
  list: {
    exact: true,
    call: () => ({ method: "GET", path: `${tasksPath}?page_num=1&page_size=500` }),
    read: readList,
  },
  usageIn: arkVideoUsage,
  read: ({ body, status }, { provider }) => {
    const word = textOf(body["status"]) ?? "";
    const phase = phases[word];
    if (phase === undefined)
      throw new UpstreamFailure("transient", "the response has no status of the task", { status });
    const content = fieldsOf(body["content"]);
    const error = fieldsOf(body["error"]);
    const reason = textOf(error["message"]) ?? textOf(error["code"]);
    return {
      phase,
      word,
      videoUrl: textOf(content["video_url"]) || undefined,
      lastFrameUrl: textOf(content["last_frame_url"]) || undefined,
      seed: numberOf(body["seed"]),
      usage: arkVideoUsage(body),
      reason: reason && redact(reason, provider),
    };
  },
  failureOf: (response, upstream) => openAiFailure(response, upstream, arkVariant),
};

function arkVideoUsage(body: Fields): VideoUsage | undefined {
  const raw = body["usage"];
  if (!isFields(raw)) return undefined;
  return {
    raw,
    tokens: countOf(raw["completion_tokens"]) ?? countOf(raw["total_tokens"]),
    seconds: numberOf(body["duration"]),
    resolution: textOf(body["resolution"]),
  };
}

function readList(body: Fields): ListedVideo[] {
  return listOf(body["items"]).flatMap((item) => {
    const fields = fieldsOf(item);
    const id = textOf(fields["id"]);
    return id === undefined ? [] : [{ id, taskId: textOf(fields["safety_identifier"]) }];
  });
}
