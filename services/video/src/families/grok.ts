import { checked } from "@uag/kit/schema-fault.ts";
import { z } from "zod";
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

const picture = z
  .union([
    z
      .string()
      .min(1)
      .transform((url) => ({ url })),
    z.strictObject({ url: z.string().min(1) }),
  ])
  .describe("A URL, or an object with one.");

export const grokSchema = z.object({
  prompt: z.string().min(1).max(4_096),
  duration: z.int().optional(),
  aspect_ratio: z.enum(["1:1", "16:9", "9:16", "4:3", "3:4", "3:2", "2:3"]).optional(),
  resolution: z.string().optional(),
  image: picture.optional(),
  reference_images: z.array(picture).min(1).max(7).optional(),
  reference_audios: z
    .array(z.strictObject({ voice_id: z.string().min(1) }))
    .max(3)
    .optional(),
  user: z.string().max(256).optional(),
});

/**
 * Reads a request in Grok Imagine's format: a prompt, with a first frame or up to seven reference
 * images.
 */
export const readGrok: ReadRequest = (fields, { model }): VideoRequestFields => {
  const { prompt, image, reference_images, reference_audios, user, ...shape } = checked(grokSchema, fields);
  if (image !== undefined && reference_images !== undefined) {
    throw invalid("reference_images", "reference_images: stand in place of image.");
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
  return { terms: { seconds, inputSeconds: 0, resolution, aspectRatio, variants: [] }, body, prompt, drafts: [] };
};
