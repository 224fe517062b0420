import { seedanceRequest } from "@uag/contract/requests/seedance";
import { videoResolutions } from "@uag/contract/requests/videos";
import { checkRefusedFields } from "@uag/providers/passed-fields/check";
import { videoFieldCosts } from "@uag/providers/passed-fields/media";
import { checked } from "@uag/untrusted/schema-fault";
import type { z } from "zod";
import type { Terms } from "../store/task.ts";
import {
  checkSeconds,
  defaultResolution,
  defaultSeconds,
  invalid,
  type ReadRequest,
  seedIn,
  type VideoRequestFields,
} from "./family.ts";
import { type ContentRules, type ContentSummary, summarize } from "./seedance-content.ts";

type Request = z.infer<typeof seedanceRequest>;

/** Fields passed on to the provider unchanged. */
const passed = [
  "frames",
  "seed",
  "camera_fixed",
  "watermark",
  "generate_audio",
  "draft",
  "return_last_frame",
  "service_tier",
  "execution_expires_after",
  "priority",
  "safety_identifier",
  "output_format",
  "omni_reference_task_type",
] as const satisfies readonly (keyof Request)[];

interface Line extends ContentRules {
  readonly pattern: RegExp;
  readonly seconds: readonly [min: number, max: number];
  readonly resolutions: readonly string[];
  /** It can generate audio, and so may be cheaper without. */
  readonly audio: boolean;
  readonly flex: boolean;
  readonly frames: boolean;
}

const none = { images: 0, videos: 0, audios: 0, soundAlone: false };
const first = { ...none, audio: false, flex: true, frames: true, drafts: false } as const;
const second = { images: 9, videos: 3, audios: 3, soundAlone: false, audio: true, flex: false } as const;
const lower = ["480p", "720p"];

/** What each model line accepts (ModelArk's video generation API). */
const lines: readonly Line[] = [
  { ...first, pattern: /seedance-1-0-lite-i2v/, images: 4, seconds: [2, 12], resolutions: videoResolutions },
  { ...first, pattern: /seedance-1-0/, seconds: [2, 12], resolutions: videoResolutions },
  {
    ...first,
    pattern: /seedance-1-5/,
    frames: false,
    audio: true,
    drafts: true,
    seconds: [4, 12],
    resolutions: videoResolutions,
  },
  {
    ...second,
    pattern: /seedance-2-0-(fast|mini)/,
    frames: false,
    drafts: false,
    seconds: [4, 15],
    resolutions: lower,
  },
  { ...second, pattern: /seedance-2-0/, frames: false, drafts: false, seconds: [4, 15], resolutions: videoResolutions },
  {
    ...second,
    pattern: /seedance/,
    images: 30,
    videos: 10,
    audios: 10,
    soundAlone: true,
    frames: false,
    drafts: true,
    seconds: [4, 30],
    resolutions: videoResolutions,
  },
];

/** The total length of one request's reference videos (ModelArk's limit), seconds. */
const maxInput = 30;
const framesPerSecond = 24;

/**
 * Reads a request in Seedance's own format: a list of texts, frames and references, with settings
 * next to it.
 */
export const readSeedance: ReadRequest = (fields, { upstreamModel }): VideoRequestFields => {
  const line = lines.find(({ pattern }) => pattern.test(upstreamModel)) as Line;
  if (fields["callback_url"] !== undefined) throw invalid("callback_url", "callback_url: use webhook_url.");
  const request = checked(seedanceRequest, fields);
  checkRefusedFields(fields, videoFieldCosts.seedance);
  const content = summarize(request.content, line);
  checkOptions(request, line);
  const resolution = resolutionOf(request, line);
  const { seconds, sent } = lengthOf(request, line);
  const aspectRatio = request.ratio ?? request.aspect_ratio ?? (content.frames > 0 ? "adaptive" : "16:9");
  const body: Record<string, unknown> = { content: request.content, resolution, ratio: aspectRatio, ...sent };
  for (const name of passed) if (request[name] !== undefined) body[name] = request[name];
  const terms = { seconds, resolution, aspectRatio, ...priceTerms(request, line, content) };
  const lifeMs = request.execution_expires_after && request.execution_expires_after * 1_000;
  const seed = seedIn(request.seed);
  return { terms, body, prompt: content.prompt, drafts: content.drafts, seed, lifeMs };
};

function checkOptions(request: Request, line: Line): void {
  if (request.draft === true && !line.drafts) throw invalid("draft", "draft: is not supported by this model.");
  if (request.service_tier === "flex" && !line.flex) throw invalid("service_tier", "service_tier: must be default.");
  if (request.generate_audio === true && !line.audio) {
    throw invalid("generate_audio", "generate_audio: this model does not generate audio.");
  }
  if (request.frames === undefined) return;
  if (!line.frames) throw invalid("frames", "frames: is not supported by this model; use duration.");
  if ((request.frames - 25) % 4 !== 0) throw invalid("frames", "frames: must be 25 + 4n.");
}

function resolutionOf(request: Request, line: Line): string {
  if (request.draft === true) {
    if (request.resolution === undefined || request.resolution === "480p") return "480p";
    throw invalid("resolution", "resolution: drafts must be 480p.");
  }
  const resolution = request.resolution ?? defaultResolution;
  if (line.resolutions.includes(resolution)) return resolution;
  throw invalid("resolution", `resolution: must be one of ${line.resolutions.join(", ")} for this model.`);
}

/** The maximum billed seconds, and the length field sent to the provider. */
function lengthOf(request: Request, line: Line): { seconds: number; sent: Record<string, unknown> } {
  const { duration, frames } = request;
  if (frames !== undefined) {
    if (duration !== undefined) throw invalid("frames", "frames: cannot be combined with duration.");
    return { seconds: frames / framesPerSecond, sent: {} };
  }
  // The model chooses the length, up to its maximum.
  if (duration === -1 && !line.frames) return { seconds: line.seconds[1], sent: { duration } };
  const seconds = checkSeconds(duration ?? Math.max(defaultSeconds, line.seconds[0]), line.seconds);
  return { seconds, sent: { duration: seconds } };
}

function priceTerms(request: Request, line: Line, content: ContentSummary): Pick<Terms, "inputSeconds" | "variants"> {
  const variants: string[] = [];
  if (content.videos > 0) variants.push("video");
  if (line.audio && request.generate_audio === false) variants.push("silent");
  if (request.service_tier === "flex") variants.push("flex");
  return { inputSeconds: content.videos > 0 ? maxInput : 0, variants };
}
