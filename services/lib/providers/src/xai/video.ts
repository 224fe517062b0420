import { countOf, type Fields, fieldsOf, isFields, numberOf, textOf } from "../conversation/fields.ts";
import { UpstreamFailure } from "../failure.ts";
import { openAiFailure } from "../openai-compatible/errors.ts";
import { openAiVariant } from "../openai-compatible/variant.ts";
import { redact } from "../redact.ts";
import type { VideoAdapter, VideoPhase, VideoResponse, VideoState, VideoUsage } from "../video/types.ts";

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
  usageIn: (body) => (isFields(body["usage"]) ? xaiVideoUsage(body) : undefined),
  read: (response, { provider }) => {
    const { body } = response;
    const word = wordIn(response);
    const phase = ended[word] ?? ((numberOf(body["progress"]) ?? 0) > 0 ? "running" : "queued");
    const error = body["error"];
    const reason = textOf(error) ?? textOf(fieldsOf(error)["message"]) ?? textOf(fieldsOf(error)["code"]);
    const state = { word, videoUrl: urlIn(body), usage: xaiVideoUsage(body) };
    if (phase === "succeeded" && fieldsOf(body["video"])["respect_moderation"] === false) return withheld(state);
    // A video's length is no usage of a task without a video.
    const charged = phase === "succeeded" ? undefined : (ticksIn(body) ?? 0) > 0;
    return { ...state, phase, charged, reason: reason && redact(reason, provider) };
  },
  failureOf: (response, upstream) => openAiFailure(response, upstream, openAiVariant),
};

/** xAI charges for a video that its moderation withholds, unless it reports a cost of zero. */
function withheld(state: Pick<VideoState, "word" | "usage">): VideoState {
  const reason = "The video was withheld by the provider's content policy.";
  return { ...state, phase: "failed", charged: ticksIn({ usage: state.usage?.raw }) !== 0, reason };
}

/**
 * The status. While xAI works, the body may be empty under 202; the status may be missing beside a
 * video.
 * @throws {UpstreamFailure} when the response has none
 */
function wordIn({ body, status, bytes }: VideoResponse): string {
  const isWorking = status === 202 && (bytes === 0 || numberOf(body["progress"]) !== undefined);
  const word = textOf(body["status"]) ?? (urlIn(body) === undefined ? isWorking && "pending" : "done");
  if (word !== false && (ended[word] !== undefined || word === "pending" || status === 202)) return word;
  throw new UpstreamFailure("transient", "the response has no status of the video", { status });
}

const urlIn = (body: Fields): string | undefined => textOf(fieldsOf(body["video"])["url"]) || undefined;

/** What it cost, in units of 10⁻¹⁰ USD. */
const ticksIn = (body: Fields): number | undefined => countOf(fieldsOf(body["usage"])["cost_in_usd_ticks"]);

function xaiVideoUsage(body: Fields): VideoUsage | undefined {
  const raw = body["usage"];
  const seconds = numberOf(fieldsOf(body["video"])["duration"]);
  return isFields(raw) || seconds !== undefined ? { raw: isFields(raw) ? raw : undefined, seconds } : undefined;
}
