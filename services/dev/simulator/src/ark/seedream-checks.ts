import { steeringOf } from "../content/steer.ts";
import { probe } from "../media/probe.ts";
import { invalidArk, rejectArk } from "./protocol.ts";
import { type SeedreamModel, seedreamSize } from "./seedream-models.ts";
import type { SeedreamRequest } from "./seedream-schema.ts";

/** A validated request: its output, and its number of references. */
export interface SeedreamJob {
  readonly width: number;
  readonly height: number;
  readonly count: number;
  readonly format: "png" | "jpeg";
  readonly references: number;
}

const maxSet = 15;
const usualSet = 4;

function unsupported(param: string, id: string): never {
  const message = `The parameter \`${param}\` is not supported for model ${id}.`;
  throw rejectArk({ status: 400, code: "InvalidParameter.UnsupportedParameter", message, param });
}

function checkFeatures(request: SeedreamRequest, model: SeedreamModel): void {
  const id = request.model;
  if (request.sequential_image_generation === "auto" && !model.sets) unsupported("sequential_image_generation", id);
  if (request.stream && !model.sets) unsupported("stream", id);
  if (request.tools !== undefined && !model.searches) unsupported("tools", id);
  if (request.output_format === "png" && !model.picksFormat) unsupported("output_format", id);
  if (request.seed !== undefined && !model.seeds) unsupported("seed", id);
  if (request.guidance_scale !== undefined && !model.seeds) unsupported("guidance_scale", id);
}

function checkReferences(request: SeedreamRequest, model: SeedreamModel): number {
  const images = request.image === undefined ? [] : [request.image].flat();
  if (images.length === 0 && model.needsImage) {
    const message = "The request failed because it is missing the `image` parameter.";
    throw rejectArk({ status: 400, code: "MissingParameter.image", message, param: "image" });
  }
  if (images.length > 0 && model.references === 0) unsupported("image", request.model);
  if (images.length > model.references) throw invalidArk("image", `at most ${model.references} images are supported`);
  for (const image of images) {
    const found = probe(image);
    if (/^data:[^;]*[A-Z]/.test(image)) throw invalidArk("image", "the format of the data URL must be in lower case");
    if (found.kind === "broken")
      throw invalidArk("image", "it cannot be decoded", "InvalidParameter.UnsupportedImageFormat");
    if (found.kind === "not-a-url")
      throw invalidArk("image", "it is neither a URL nor a data URL", "InvalidImageURL.InvalidFormat");
    if (found.kind === "unreachable") throw invalidArk("image", "the image cannot be downloaded");
  }
  return images.length;
}

/** Validates a request by the rules of its model, and decides its output. */
export function seedreamJob(request: SeedreamRequest, model: SeedreamModel): SeedreamJob {
  checkFeatures(request, model);
  const references = checkReferences(request, model);
  const size = seedreamSize(request.size ?? model.usualSize, model);
  if (size === undefined) {
    const [min, max] = model.pixels;
    const why = `it must be ${[...model.keywords, "WxH"].join(", ")} of ${min} to ${max} pixels and a ratio of 1/16 to 16`;
    throw invalidArk("size", why);
  }
  if (steeringOf(request.prompt).blocked) {
    const message = "The request failed because the input text may contain sensitive information.";
    throw rejectArk({ status: 400, code: "InputTextSensitiveContentDetected", message, param: "prompt" });
  }
  const isSet = request.sequential_image_generation === "auto";
  const calls = request.sequential_image_generation_options?.max_images ?? usualSet;
  const count = isSet ? Math.max(1, Math.min(calls, maxSet - references)) : 1;
  return { width: size[0], height: size[1], count, format: request.output_format ?? "jpeg", references };
}
