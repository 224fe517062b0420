import { integerBetween, randomFrom } from "../content/hash.ts";
import { invalidArk, rejectArk } from "./protocol.ts";
import type { SeedanceInputs } from "./seedance-inputs.ts";
import { closestRatio, type SeedanceFamily, seedanceRatios, seedanceSize } from "./seedance-models.ts";
import { inlineFlags, type SeedanceRequest } from "./seedance-schema.ts";

/** The output of a task. */
export interface SeedanceOutput {
  readonly resolution: string;
  readonly ratio: string;
  readonly width: number;
  readonly height: number;
  readonly duration: number;
  /** Requested instead of a duration. */
  readonly frames: number | undefined;
  readonly seed: number;
  readonly sound: boolean;
}

/** Frames per second of every Seedance video. */
export const seedanceFps = 24;

function durationOf(request: SeedanceRequest, requested: unknown, family: SeedanceFamily): number {
  const [min, max] = family.seconds;
  if (request.frames !== undefined) {
    const fits = request.frames >= 29 && request.frames <= 289 && (request.frames - 25) % 4 === 0;
    if (!family.first || !fits) throw invalidArk("frames", "it must be 25 + 4n, from 29 to 289");
    return request.frames / seedanceFps;
  }
  if (requested === undefined) return Math.max(5, min);
  if (requested === -1 && !family.first) return Math.max(5, min);
  if (typeof requested === "number" && requested >= min && requested <= max) return requested;
  throw invalidArk("duration", `it must be an integer from ${min} to ${max} for ${family.name}`);
}

function ratioOf(requested: unknown, inputs: SeedanceInputs): string {
  const picture = [...inputs.frames, ...inputs.images].find((found) => found.kind === "image");
  const adapted = picture?.kind === "image" ? closestRatio(picture.width, picture.height) : "16:9";
  if (requested === undefined) return inputs.frames.length > 0 ? adapted : "16:9";
  if (requested === "adaptive") return adapted;
  if (typeof requested === "string" && seedanceRatios.includes(requested)) return requested;
  throw invalidArk("ratio", `it must be one of ${seedanceRatios.join(", ")}, adaptive`);
}

function resolutionOf(request: SeedanceRequest, requested: unknown, family: SeedanceFamily): string {
  if (request.draft) {
    if (requested !== undefined && requested !== "480p") throw invalidArk("resolution", "drafts support only 480p");
    return "480p";
  }
  if (requested === undefined) return family.usualResolution;
  if (typeof requested === "string" && family.resolutions.includes(requested)) return requested;
  throw invalidArk("resolution", `it must be one of ${family.resolutions.join(", ")} for ${family.name}`);
}

/** Decides size, length, seed and audio. Rejects what the family does not support. */
export function outputOf(
  request: SeedanceRequest,
  context: { inputs: SeedanceInputs; family: SeedanceFamily; digest: string },
): SeedanceOutput {
  const { inputs, family, digest } = context;
  const requested: Record<string, unknown> = { ...(family.first && inlineFlags(request)), ...request };
  if (request.draft && !family.drafts) throw invalidArk("draft", `it is not supported for ${family.name}`);
  if (request.service_tier === "flex" && !family.flex) {
    throw invalidArk("service_tier", `flex is not supported for ${family.name}`);
  }
  if (request.generate_audio && !family.makesSound) {
    const message = `The parameter \`generate_audio\` is not supported for ${family.name}.`;
    throw rejectArk({ status: 400, code: "InvalidParameter.UnsupportedParameter", message, param: "generate_audio" });
  }
  const resolution = resolutionOf(request, requested["resolution"], family);
  const ratio = ratioOf(requested["ratio"], inputs);
  const [width, height] = seedanceSize(family, resolution, ratio);
  const seed = requested["seed"];
  const isFixed = typeof seed === "number" && seed >= 0;
  return {
    resolution,
    ratio,
    width,
    height,
    duration: durationOf(request, requested["duration"], family),
    frames: request.frames,
    seed: isFixed ? seed : integerBetween(randomFrom(digest, "seed"), 0, 2_147_483_647),
    sound: family.makesSound && request.generate_audio !== false,
  };
}

/**
 * Tokens of a task: the pixels of all frames, including those of the input videos, divided by
 * 1,024.
 */
export function tokensOfVideo(output: SeedanceOutput, family: SeedanceFamily, secondsIn: number): number {
  const frames = (secondsIn + output.duration) * seedanceFps + (family.first ? 0 : 1);
  return Math.round((output.width * output.height * frames) / 1024);
}
