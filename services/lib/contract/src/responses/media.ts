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

const categories = [
  "harassment",
  "harassment/threatening",
  "hate",
  "hate/threatening",
  "illicit",
  "illicit/violent",
  "self-harm",
  "self-harm/instructions",
  "self-harm/intent",
  "sexual",
  "sexual/minors",
  "violence",
  "violence/graphic",
] as const;

/** An object with a value of the same kind for each category. */
function perCategory<Value extends z.ZodType>(value: Value) {
  return z.object(
    Object.fromEntries(categories.map((category) => [category, value])) as Record<(typeof categories)[number], Value>,
  );
}

/** Moderation results in OpenAI's format: one for each text of a list, else one. */
export const moderationResult = z.object({
  id: z.string(),
  model: z.string(),
  results: z.array(
    z.object({
      flagged: z.boolean().describe("Whether any category is flagged."),
      categories: perCategory(z.boolean().nullable()).describe("Whether each category is flagged."),
      category_scores: perCategory(z.number()).describe("The model's score of each category, 0 to 1."),
      category_applied_input_types: perCategory(z.array(z.enum(["text", "image"])))
        .describe("The inputs that each score applies to.")
        .optional(),
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

/** Documents by relevance, in Cohere's and Jina's format. */
export const rerankResult = z.object({
  id: z.string(),
  object: z.literal("list"),
  model: z.string(),
  results: z
    .array(
      z.object({
        index: count.describe("The document's place in the request, from 0."),
        relevance_score: z.number(),
        document: z.object({ text: z.string() }).optional(),
      }),
    )
    .describe("The most relevant first."),
  usage: z.object({ total_tokens: count }),
  meta: z.object({
    api_version: z.object({ version: z.string() }),
    billed_units: z.object({ total_tokens: count }),
    tokens: z.object({ input_tokens: count }),
  }),
});

const transcriptUsage = z.union([
  z.object({
    type: z.literal("tokens"),
    input_tokens: count,
    input_token_details: z.object({ text_tokens: count.optional(), audio_tokens: count.optional() }).optional(),
    output_tokens: count,
    total_tokens: count,
  }),
  z.object({ type: z.literal("duration"), seconds: z.number() }),
]);

const logprobs = z.array(z.object({ token: z.string(), logprob: z.number(), bytes: z.array(count) }));

/** A transcript in the format `json`. */
export const transcript = z.object({
  text: z.string(),
  logprobs: logprobs.optional(),
  usage: transcriptUsage.optional(),
});

/** The data of one event of a streamed transcript. */
export const transcriptEvent = z.object({
  type: z.string().describe("`transcript.text.delta`, `transcript.text.done` with the whole text, or `error`."),
  delta: z.string().optional(),
  text: z.string().optional(),
  logprobs: logprobs.optional(),
  usage: transcriptUsage.optional(),
  error: nestedError.shape.error.optional(),
});

/** A transcript in the format `verbose_json`. */
export const verboseTranscript = z.object({
  task: z.string().optional(),
  language: z.string(),
  duration: z.number().describe("Seconds."),
  text: z.string(),
  segments: z
    .array(
      z.object({
        id: count,
        seek: count,
        start: z.number(),
        end: z.number(),
        text: z.string(),
        tokens: z.array(count),
        temperature: z.number(),
        avg_logprob: z.number(),
        compression_ratio: z.number(),
        no_speech_prob: z.number(),
      }),
    )
    .optional(),
  words: z.array(z.object({ word: z.string(), start: z.number(), end: z.number() })).optional(),
  usage: transcriptUsage.optional(),
});
