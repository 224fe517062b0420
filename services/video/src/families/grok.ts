import { grokVideoRequest } from "@uag/contract/requests/grok-video";
import { checked } from "@uag/untrusted/schema-fault";
import { pricedResolutions } from "../price.ts";
import {
  checkResolution,
  checkSeconds,
  defaultRatio,
  defaultResolution,
  defaultSeconds,
  invalid,
  type ReadRequest,
  type VideoRequestFields,
} from "./family.ts";

/**
 * Reads a request in Grok Imagine's format: a prompt, with a first frame or up to seven reference
 * images.
 */
export const readGrok: ReadRequest = (fields, { model }): VideoRequestFields => {
  const { prompt, image, reference_images, reference_audios, user, ...shape } = checked(grokVideoRequest, fields);
  if (image !== undefined && reference_images !== undefined) {
    throw invalid("reference_images", "reference_images: cannot be combined with image.");
  }
  const seconds = checkSeconds(shape.duration ?? defaultSeconds, [1, 15]);
  const resolution = checkResolution(shape.resolution ?? defaultResolution, pricedResolutions(model));
  if (resolution === "1080p" && reference_images !== undefined) {
    throw invalid("resolution", "resolution: is at most 720p with reference_images.");
  }
  const aspectRatio = shape.aspect_ratio ?? defaultRatio;
  const body = {
    prompt,
    duration: seconds,
    resolution,
    // A first frame determines the aspect ratio.
    ...((image === undefined || shape.aspect_ratio !== undefined) && { aspect_ratio: aspectRatio }),
    ...(image !== undefined && { image }),
    ...(reference_images !== undefined && { reference_images }),
    ...(reference_audios !== undefined && { reference_audios }),
    ...(user !== undefined && { user }),
  };
  const inputImages = image === undefined ? (reference_images?.length ?? 0) : 1;
  const terms = { seconds, inputSeconds: 0, inputImages, resolution, aspectRatio, variants: [] };
  return { terms, body, prompt, drafts: [] };
};
