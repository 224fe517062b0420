import { z } from "zod";
import { grokVideoRequest } from "./grok-video.ts";
import { seedanceRequest } from "./seedance.ts";
import { anyWanInput } from "./wan-input.ts";

/** Video resolutions; the catalogue says which of them a model supports. */
export const videoResolutions = ["480p", "720p", "1080p"] as const;

/** Maximum wait, seconds. */
const maxWait = 600;
const defaultWait = 60;
const wrongWait = "must be a number of seconds, or true";

const seconds = z.number().min(0);
/** A number as text; a blank one is none. */
const numberText = z.preprocess((text) => (String(text).trim() === "" ? Number.NaN : Number(text)), seconds);
const bounded = (wait: number): number => Math.min(wait, maxWait);

/** `wait` of a body, in seconds; 0 for none. */
const wait = z
  .union([z.boolean().transform((waits) => (waits ? defaultWait : 0)), seconds.transform(bounded)], wrongWait)
  .nullish()
  .describe(
    `How long the answer may wait for the task's end, seconds, ${maxWait} at most; true stands for ${defaultWait}.`,
  );

/** Fields that every family accepts besides its own; the service reads them separately. */
const common = {
  model: z.string(),
  webhook_url: z
    .string("must be a string")
    .nullish()
    .describe("Where the task is told of when it has ended; https only."),
  wait,
} as const;

/** What a body says of how the client hears of the task's end, whatever its family. */
export const videoCompletion = z.object({ webhook_url: common.webhook_url });

/** What a body says of how long its answer may wait for that. */
export const videoBodyWait = z.object({ wait });

/** Query of `POST /v1/videos/generations`; `?wait` alone stands for true. */
export const videoCreateQuery = z.object({
  wait: z
    .union([z.literal(["true", ""]).transform(() => defaultWait), numberText.transform(bounded)], wrongWait)
    .optional()
    .describe(`Seconds, ${maxWait} at most; true stands for ${defaultWait}.`),
});

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
