import { z } from "zod";
import { nestedError } from "../errors/shapes.ts";

const count = z.int().min(0);

/** Images of an `alpha` model, in DashScope's format. */
export const alphaImageResult = z.object({
  request_id: z.string(),
  output: z.object({
    choices: z.array(
      z.object({
        finish_reason: z.string(),
        message: z.object({
          role: z.string(),
          content: z.array(z.object({ image: z.string().describe("An https URL, valid for 24 hours.").optional() })),
        }),
      }),
    ),
  }),
  usage: z.object({ image_count: count, height: count, width: count }),
});

const tokenDetails = z.object({ text_tokens: count.optional(), image_tokens: count.optional() });

/** Token counts for models billed by tokens; Seedream also reports its own counts. */
const imageUsage = z.object({
  input_tokens: count.optional(),
  output_tokens: count.optional(),
  total_tokens: count.optional(),
  input_tokens_details: tokenDetails.optional(),
  output_tokens_details: tokenDetails.optional(),
  generated_images: count.optional(),
});

/** Images in OpenAI's format. */
export const imageResult = z.object({
  created: z.int().describe("Unix time, seconds."),
  data: z.array(
    z.object({
      b64_json: z.string().optional(),
      url: z.string().describe("Valid for 24 hours.").optional(),
      revised_prompt: z.string().optional(),
      size: z.string().optional(),
      error: z.object({ code: z.string(), message: z.string() }).optional(),
    }),
  ),
  background: z.string().optional(),
  output_format: z.string().optional(),
  quality: z.string().optional(),
  size: z.string().optional(),
  usage: imageUsage.optional(),
});

/** The data of one event of a stream of images. */
export const imageEvent = z.object({
  type: z
    .string()
    .describe("`image_generation.partial_image`, `image_generation.completed`, the same of `image_edit`, or `error`."),
  b64_json: z.string().optional(),
  partial_image_index: count.optional(),
  created_at: z.int().optional(),
  background: z.string().optional(),
  output_format: z.string().optional(),
  quality: z.string().optional(),
  size: z.string().optional(),
  usage: imageUsage.optional(),
  error: nestedError.shape.error.optional(),
});

/** The states of a video task. Those from `succeeded` on are final. */
export const taskStatuses = ["submitted", "queued", "running", "succeeded", "failed", "cancelled", "expired"] as const;

/** A task that generates a video, in any state. */
export const videoTask = z.object({
  id: z.string(),
  object: z.literal("video.generation"),
  model: z.string(),
  status: z.enum(taskStatuses),
  created_at: z.int().describe("Unix time, seconds."),
  updated_at: z.int().optional(),
  completed_at: z.int().optional(),
  upstream_status: z.string().nullish().describe("The provider's value."),
  duration: z.number().optional().describe("Seconds."),
  resolution: z.string().optional(),
  aspect_ratio: z.string().optional(),
  content: z.object({ video_url: z.string().optional(), last_frame_url: z.string().optional() }).optional(),
  usage: z
    .looseObject({ duration: z.number(), resolution: z.string() })
    .optional()
    .describe("What was generated, in addition to the provider's own counts."),
  seed: z
    .int()
    .nullish()
    .describe("The requested seed, the provider's, or a generated one; null if the provider has none."),
  omitted_parameters: z
    .array(z.string())
    .optional()
    .describe("Parameters that were dropped because the provider's model does not support them."),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
});

/** A page of the account's video tasks, newest first. */
export const videoTaskList = z.object({
  object: z.literal("list"),
  data: z.array(videoTask),
  has_more: z.boolean(),
  next_cursor: z.string().nullable(),
});

/** The voices of the speech models. */
export const voiceList = z.object({
  object: z.literal("list"),
  data: z.array(
    z.object({
      id: z.string(),
      object: z.literal("voice"),
      name: z.string(),
      models: z.array(z.string()),
      default: z.boolean().describe("Whether it is the default voice."),
    }),
  ),
});

/** Vectors in OpenAI's format, in input order. */
export const embeddingResult = z.object({
  object: z.literal("list"),
  model: z.string(),
  data: z.array(
    z.object({
      object: z.literal("embedding"),
      index: z.int().min(0),
      embedding: z.union([z.array(z.number()), z.string().describe("32-bit floats, little-endian, in base64.")]),
    }),
  ),
  usage: z.object({ prompt_tokens: count, total_tokens: count }),
});
