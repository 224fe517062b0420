import { z } from "zod";
import { grokVideoRequest } from "./grok-video.ts";
import { seedanceRequest } from "./seedance.ts";
import { anyWanInput } from "./wan-input.ts";

/** Video resolutions; the catalogue says which of them a model supports. */
export const videoResolutions = ["480p", "720p", "1080p"] as const;

/** Fields that every family accepts besides its own; the service reads them separately. */
const common = {
  model: z.string(),
  webhook_url: z.string().nullish().describe("Where the task is told of when it has ended; https only."),
  wait: z
    .union([z.boolean(), z.number().min(0)])
    .nullish()
    .describe("How long the answer may wait for the task's end, seconds, 600 at most; true stands for 60."),
} as const;

/** What Wan and HappyHorse models accept; nearly every field depends on the model. */
const wan = z.looseObject({
  ...common,
  duration: z.int().min(2).max(15).optional().describe("Seconds; models other than happyhorse require it."),
  resolution: z.string().nullish().describe("480p, 720p (default) or 1080p, as the model makes."),
  aspect_ratio: z.string().nullish().describe("16:9 by default."),
  input: anyWanInput,
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
export const videoRequests = {
  wan,
  seedance: seedanceRequest.extend(common),
  grok: grokVideoRequest.extend(common),
} as const;
