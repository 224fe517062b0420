import { fieldsOf, isFields, numberOf, textOf } from "../conversation/fields.ts";
import { UpstreamFailure } from "../failure.ts";
import { openAiFailure } from "../openai-compatible/errors.ts";
import { openAiVariant } from "../openai-compatible/variant.ts";
import { redact } from "../redact.ts";
import type { VideoAdapter, VideoPhase } from "../video/types.ts";

const ended: Readonly<Record<string, VideoPhase>> = { done: "succeeded", failed: "failed", expired: "expired" };

/** Grok Imagine (xAI's video API), whose tasks can be neither listed nor cancelled. */
export const xaiVideo: VideoAdapter = {
  familyOf: () => "grok",
  pollMs: 5_000,
  lifeMs: 24 * 3_600_000,
  shortLivedResults: true,
  create: (order, upstream) => ({
    method: "POST",
    path: "/videos/generations",
    body: { model: upstream.model, ...order.body },
  }),
  createdId: (body) => textOf(body["request_id"]),
  poll: (id) => ({ method: "GET", path: `/videos/${encodeURIComponent(id)}` }),
  read: (body, status, { provider }) => {
    const video = fieldsOf(body["video"]);
    const url = textOf(video["url"]) || undefined;
    // The body may be empty while it is working; the status may be missing when it is done.
    const word = textOf(body["status"]) ?? (url === undefined ? "pending" : "done");
    const phase = ended[word] ?? ((numberOf(body["progress"]) ?? 0) > 0 ? "running" : "queued");
    if (ended[word] === undefined && word !== "pending" && status !== 202) {
      throw new UpstreamFailure("transient", "the response has no status of the video", { status });
    }
    const error = body["error"];
    const reason = textOf(error) ?? textOf(fieldsOf(error)["message"]) ?? textOf(fieldsOf(error)["code"]);
    const moderated = phase === "succeeded" && video["respect_moderation"] === false;
    const raw = body["usage"];
    return {
      phase: moderated ? "failed" : phase,
      word,
      videoUrl: url,
      usage: { raw: isFields(raw) ? raw : undefined, seconds: numberOf(video["duration"]) },
      reason: moderated
        ? "The video was withheld by the provider's content policy."
        : reason && redact(reason, provider),
    };
  },
  failureOf: (response, upstream) => openAiFailure(response, upstream, openAiVariant),
};
