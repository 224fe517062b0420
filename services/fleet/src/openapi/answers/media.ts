import { statuses } from "@uag/video/store/task.ts";
import { z } from "zod";

const count = z.int().min(0);

export const alphaImageResult = z.looseObject({
  request_id: z.string(),
  output: z.looseObject({
    choices: z.array(
      z.looseObject({
        finish_reason: z.string(),
        message: z.looseObject({
          role: z.string(),
          content: z.array(
            z.looseObject({ image: z.string().describe("An https URL, valid for 24 hours.").optional() }),
          ),
        }),
      }),
    ),
  }),
  usage: z.looseObject({ image_count: count, height: count, width: count }),
});

export const imageResult = z.looseObject({
  created: z.int().describe("Unix time, seconds."),
  data: z.array(
    z.looseObject({
      b64_json: z.string().optional(),
      url: z.string().describe("Valid for 24 hours.").optional(),
      revised_prompt: z.string().optional(),
      size: z.string().optional(),
      error: z.looseObject({ code: z.string(), message: z.string() }).optional(),
    }),
  ),
  background: z.string().optional(),
  output_format: z.string().optional(),
  quality: z.string().optional(),
  size: z.string().optional(),
  usage: z
    .looseObject({
      input_tokens: count.optional(),
      output_tokens: count.optional(),
      total_tokens: count.optional(),
      input_tokens_details: z.looseObject({ text_tokens: count.optional(), image_tokens: count.optional() }).optional(),
    })
    .optional(),
});

/** The data of one event of a stream of images. */
export const imageEvent = z.looseObject({ type: z.string(), b64_json: z.string().optional() });

export const videoTask = z.looseObject({
  id: z.string(),
  object: z.literal("video.generation"),
  model: z.string(),
  status: z.enum(statuses),
  created_at: z.int().describe("Unix time, seconds."),
  updated_at: z.int().optional(),
  completed_at: z.int().optional(),
  upstream_status: z.string().nullish().describe("The provider's own word."),
  duration: z.number().optional().describe("Seconds."),
  resolution: z.string().optional(),
  aspect_ratio: z.string().optional(),
  content: z.looseObject({ video_url: z.string().optional(), last_frame_url: z.string().optional() }).optional(),
  usage: z.looseObject({ duration: z.number().optional(), resolution: z.string().optional() }).optional(),
  seed: z
    .int()
    .nullish()
    .describe(
      "The one that was asked for, the provider's, or one that was chosen; null where the provider knows none.",
    ),
  omitted_parameters: z
    .array(z.string())
    .optional()
    .describe("Parameters that were left out, because the provider's model lacks them."),
  error: z.looseObject({ code: z.string(), message: z.string() }).optional(),
});

export const videoTaskList = z.looseObject({
  object: z.literal("list"),
  data: z.array(videoTask),
  has_more: z.boolean(),
  next_cursor: z.string().nullable(),
});

export const voiceList = z.looseObject({
  object: z.literal("list"),
  data: z.array(
    z.looseObject({
      id: z.string(),
      object: z.literal("voice"),
      name: z.string(),
      models: z.array(z.string()),
      default: z.boolean().describe("Spoken with when a request names no voice."),
    }),
  ),
});

export const embeddingResult = z.looseObject({
  object: z.literal("list"),
  model: z.string(),
  data: z.array(
    z.looseObject({
      object: z.literal("embedding"),
      index: z.int().min(0),
      embedding: z.union([z.array(z.number()), z.string().describe("32-bit floats, little-endian, in base64.")]),
    }),
  ),
  usage: z.looseObject({ prompt_tokens: count, total_tokens: count }),
});
