import { z } from "zod";
import { grokSchema } from "../families/grok.ts";
import { seedanceSchema } from "../families/seedance.ts";
import { mediaTypes } from "../families/wan-input.ts";

/** Fields that every family accepts besides its own; read by `readVideoRequest` and `waitMs`. */
const common = {
  model: z.string(),
  webhook_url: z.string().nullish().describe("Where the task is told of when it has ended; https only."),
  wait: z
    .union([z.boolean(), z.number().min(0)])
    .nullish()
    .describe("How long the answer may wait for the task's end, seconds, 600 at most; true stands for 60."),
} as const;

const url = z.string().min(1);

/**
 * Each model accepts some of these: the suffix of its name (t2v, i2v, r2v) determines which, its
 * version the fields.
 */
const input = z.looseObject({
  prompt: z.string().optional(),
  negative_prompt: z.string().optional(),
  audio_url: url.optional(),
  img_url: url.optional(),
  template: z.string().optional(),
  reference_urls: z.array(url).min(1).max(5).optional(),
  reference_video_urls: z.array(url).min(1).max(3).optional(),
  media: z.array(z.looseObject({ type: z.enum(mediaTypes), url, reference_voice: url.optional() })).optional(),
});

/** What `readWan` accepts; nearly every field depends on the model. */
const wan = z.looseObject({
  ...common,
  duration: z.int().min(2).max(15).optional().describe("Seconds; models other than happyhorse require it."),
  resolution: z.string().nullish().describe("480p, 720p (default) or 1080p, as the model makes."),
  aspect_ratio: z.string().nullish().describe("16:9 by default."),
  input,
  parameters: z
    .looseObject({
      resolution: z.string().optional(),
      size: z.string().optional(),
      duration: z.int().optional(),
      ratio: z.string().optional(),
      prompt_extend: z.boolean().optional(),
      watermark: z.boolean().optional(),
      audio: z.boolean().optional(),
      shot_type: z.string().optional(),
      seed: z.int().optional(),
    })
    .nullish()
    .describe("Go to the provider as they are. What they repeat of the fields beside them must say the same."),
});

/** The bodies of `POST /v1/videos/generations`, by model family. */
export const describedVideo = {
  Wan: wan,
  Seedance: seedanceSchema.extend(common),
  Grok: grokSchema.extend(common),
} as const;
