import { steeringOf } from "../content/steer.ts";
import { uuidOf } from "../content/uuid.ts";
import type { Call, Reply } from "../http/types.ts";
import { probe } from "../media/probe.ts";
import { acceptTask } from "../tasks/plan.ts";
import { checkImage } from "./image-input.ts";
import { rejectXai } from "./protocol.ts";
import { type VideoRequest, videoEditSchema, videoExtensionSchema, videoSchema } from "./video-schema.ts";
import type { GrokVideoFacts } from "./video-tasks.ts";
import { xaiIssue } from "./wording.ts";

const models = ["grok-imagine-video", "grok-imagine-video-1.5"];
const ticksPerSecond: { readonly [resolution: string]: number } = {
  "480p": 500_000_000,
  "720p": 700_000_000,
  "1080p": 2_500_000_000,
};
const ticksPerInputImage: { readonly [model: string]: number } = {
  "grok-imagine-video": 20_000_000,
  "grok-imagine-video-1.5": 100_000_000,
};
const ticksPerInputSecond = 100_000_000;
const usualSeconds = 8;
const unknownVideoSeconds = 5;

/** The output of a task and what is charged for it. */
interface Order {
  readonly prompt: string;
  readonly seconds: number;
  readonly ratio: string;
  readonly resolution: string;
  readonly inputImages: number;
  readonly inputSeconds: number;
}

function checkModel(call: Call): void {
  if (models.includes(call.model ?? "")) return;
  throw rejectXai(404, `The model ${call.model} does not exist or your team does not have access to it.`);
}

function xaiVideoDimensions(ratio: string, resolution: string): { width: number; height: number } {
  const [w = 16, h = 9] = ratio.split(":").map(Number);
  const short = Number.parseInt(resolution, 10);
  const long = 2 * Math.round((short * Math.max(w, h)) / Math.min(w, h) / 2);
  return w >= h ? { width: long, height: short } : { width: short, height: long };
}

function accept(call: Call, order: Order): Reply {
  if (steeringOf(order.prompt).blocked) throw rejectXai(400, "Content violates usage guidelines.");
  const { resolution, seconds } = order;
  const isModerated = call.faults.moderation !== undefined;
  const ticks =
    seconds * (ticksPerSecond[resolution] ?? 0) +
    order.inputImages * (ticksPerInputImage[call.model ?? ""] ?? 0) +
    order.inputSeconds * ticksPerInputSecond;
  const size = xaiVideoDimensions(order.ratio, resolution);
  const facts: GrokVideoFacts = { digest: call.digest, seconds, ...size };
  const task = acceptTask(call, {
    id: uuidOf(call.digest, call.tasks.nextNumber()),
    provider: "xai",
    operation: "videos.create",
    facts,
    trueUsage: { cost_in_usd_ticks: ticks },
    units: { seconds, resolution, input_images: order.inputImages, input_seconds: order.inputSeconds },
    // A blocked video is reported as done, and charged.
    failure: isModerated ? { code: "moderation", message: "" } : undefined,
    chargedAnyway: isModerated,
    failCode: "internal_error",
  });
  return {
    type: "json",
    status: 200,
    body: { request_id: task.id },
    responseId: task.id,
    task: { id: task.id, polls: 0 },
  };
}

function checkGeneration(request: VideoRequest): void {
  const { image, reference_images, resolution, model, prompt } = request;
  if (image !== undefined && reference_images !== undefined) {
    throw rejectXai(400, "image and reference_images cannot be used together.");
  }
  if (image === undefined && !prompt) throw rejectXai(400, "Prompt is required.");
  if (resolution === "1080p" && (model !== "grok-imagine-video-1.5" || reference_images !== undefined)) {
    throw rejectXai(400, "Resolution 1080p is not supported for this request.");
  }
  for (const field of ["seed", "n", "fps", "size"]) {
    if (field in request) throw rejectXai(400, `Argument not supported: ${field}`);
  }
  for (const { url } of [...(image === undefined ? [] : [image]), ...(reference_images ?? [])]) checkImage(url);
}

/** `POST /v1/videos/generations` */
export function grokVideo(call: Call): Reply {
  const parsed = videoSchema.safeParse(call.body);
  if (!parsed.success) throw xaiIssue(parsed.error, call.body);
  checkModel(call);
  checkGeneration(parsed.data);
  const { prompt = "", duration = usualSeconds, aspect_ratio = "16:9", resolution = "480p" } = parsed.data;
  const inputImages = (parsed.data.image === undefined ? 0 : 1) + (parsed.data.reference_images?.length ?? 0);
  return accept(call, { prompt, seconds: duration, ratio: aspect_ratio, resolution, inputImages, inputSeconds: 0 });
}

function secondsOfInput(url: string): number {
  const found = probe(url);
  if (found.kind === "not-a-url" || found.kind === "broken") throw rejectXai(400, "Invalid video URL.");
  if (found.kind === "unreachable") throw rejectXai(400, "Failed to download the video.");
  return found.kind === "video" ? found.seconds : unknownVideoSeconds;
}

/** `POST /v1/videos/edits`: as long as its input. */
export function grokVideoEdit(call: Call): Reply {
  const parsed = videoEditSchema.safeParse(call.body);
  if (!parsed.success) throw xaiIssue(parsed.error, call.body);
  checkModel(call);
  const seconds = secondsOfInput(parsed.data.video.url);
  const { prompt } = parsed.data;
  return accept(call, { prompt, seconds, ratio: "16:9", resolution: "480p", inputImages: 0, inputSeconds: seconds });
}

/** `POST /v1/videos/extensions`: generates and charges the additional `duration`. */
export function grokVideoExtension(call: Call): Reply {
  const parsed = videoExtensionSchema.safeParse(call.body);
  if (!parsed.success) throw xaiIssue(parsed.error, call.body);
  checkModel(call);
  const { prompt, video, duration = usualSeconds } = parsed.data;
  const inputSeconds = secondsOfInput(video.url);
  return accept(call, { prompt, seconds: duration, ratio: "16:9", resolution: "480p", inputImages: 0, inputSeconds });
}
