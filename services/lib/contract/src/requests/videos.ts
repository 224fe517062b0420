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
/** A number as text; a blank one counts as none. */
const numberText = z.preprocess((text) => (String(text).trim() === "" ? Number.NaN : Number(text)), seconds);
const bounded = (wait: number): number => Math.min(wait, maxWait);

/** `wait` of a body, in seconds; 0 for none. */
const wait = z
  .union([z.boolean().transform((waits) => (waits ? defaultWait : 0)), seconds.transform(bounded)], wrongWait)
  .nullish()
  .describe(`Seconds that the response may wait for the task to end, at most ${maxWait}; true means ${defaultWait}.`);

/** Fields that every family accepts in addition to its own; the service reads them separately. */
const common = {
  model: z.string(),
  webhook_url: z
    .string("must be a string")
    .nullish()
    .describe("The webhook URL that is called when the task ends; https only."),
  wait,
} as const;

/** The body's field for the end-of-task notification, in every family. */
export const videoCompletion = z.object({ webhook_url: common.webhook_url });

/** The body's field for the time that the response may wait. */
export const videoBodyWait = z.object({ wait });

/** Query of `POST /v1/videos/generations`; `?wait` alone means true. */
export const videoCreateQuery = z.object({
  wait: z
    .union([z.literal(["true", ""]).transform(() => defaultWait), numberText.transform(bounded)], wrongWait)
    .optional()
    .describe(`Seconds, at most ${maxWait}; true means ${defaultWait}.`),
});

/** What Wan and HappyHorse models accept; nearly every field depends on the model. */
const wan = z.looseObject({
  ...common,
  duration: z.int().min(2).max(15).optional().describe("Seconds; models other than happyhorse require it."),
  resolution: z.string().nullish().describe("480p, 720p (default) or 1080p, depending on the model."),
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
    .describe("Passed to the provider unchanged. Values that repeat other fields must match them."),
});

/** The bodies of `POST /v1/videos/generations`, by model family. */
export const videoRequests = {
  wan,
  seedance: seedanceRequest.extend(common),
  grok: grokVideoRequest.extend(common),
} as const;
