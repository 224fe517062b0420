import { modelFallbacks, routingStrategy } from "@uag/contract/requests/admin-models";
import { modelOperations } from "@uag/contract/routes";
import { z } from "zod";
import { nanoUsd } from "./nano-usd.ts";
import { providerSchema } from "./provider-schema.ts";
import { unitTable } from "./units.ts";

const usd = z
  .number()
  .min(0, "must not be negative")
  .max(1_000_000)
  .refine((value) => nanoUsd(value) !== undefined, "must have at most nine decimals");
/** No dots: a unit's name becomes a field name in usage counters. */
const variants = z.record(z.string().regex(/^[A-Za-z0-9_*/-]{1,64}$/), usd);
const anyPrice = z.union([usd, variants]);

const unitShape = Object.fromEntries(Object.keys(unitTable).map((unit) => [unit, anyPrice.optional()])) as {
  [U in keyof typeof unitTable]: z.ZodOptional<typeof anyPrice>;
};

/**
 * USD per million tokens or characters, per image, search and second of video; by variant for a
 * unit with several prices.
 */
export const ratesSchema = z.strictObject(unitShape);

/** A model's price in the catalogue file. */
export const priceSchema = ratesSchema.extend({
  tiers: z
    .array(ratesSchema.extend({ above_input_tokens: z.int().positive() }))
    .optional()
    .describe("Prices of the whole request when its input is longer."),
});

const batchSchema = z.strictObject({ items: z.int().positive(), tokens: z.int().positive() });

const upstreamSchema = z.strictObject({
  provider: z.string(),
  model: z.string().min(1).optional().describe("The provider's name of the model; default: the model's id."),
  weight: z.number().positive().default(1).describe("Share of the calls among upstreams of the same priority."),
  priority: z.int().min(0).default(0).describe("Upstreams of the lowest number are tried first."),
  cost: ratesSchema
    .optional()
    .describe(
      "What the operator pays there, in the units of the model's price; a unit that is left out, or all: the model's price. Compared by the strategy least_cost.",
    ),
  batch: batchSchema.optional().describe("Maximum size of one embeddings call."),
  responses_api: z
    .boolean()
    .optional()
    .describe(
      "Whether the provider serves the model at its Responses API; default: as the provider's `responses_api`.",
    ),
  vectors_cut_here: z
    .boolean()
    .default(false)
    .describe("The upstream supports one vector size only; the gateway shortens vectors."),
});

/** A model that reasons before it responds. */
const reasoningSchema = z.strictObject({
  efforts: z.array(z.string()).default([]).describe("Values of reasoning_effort that the model supports."),
  default_effort: z
    .string()
    .optional()
    .describe("The effort of a request that sets none; `none`: the model reasons only on request."),
  switch: z
    .enum(["thinking", "enable_thinking"])
    .optional()
    .describe("The field that turns reasoning on and off: `thinking: {type}`, or `enable_thinking` with a budget."),
  shown: z.boolean().default(false).describe("Responses contain the reasoning, as text."),
  sampling: z
    .union([z.literal("all"), z.array(z.enum(["temperature", "top_p"]))])
    .default([])
    .describe("Sampling parameters that the model supports while it reasons."),
});

const sizeNames = z.array(z.string().min(1)).default([]);

/** Inputs and outputs of a model that generates images. */
export const imageSchema = z.strictObject({
  family: z
    .enum(["alpha", "gamma", "delta", "seedream", "grok", "gemini"])
    .describe("The family whose rules an image request follows."),
  sizes: sizeNames.describe("Sizes that the model supports; empty: any that the family's rule allows."),
  edit_sizes: sizeNames.describe("The same for edits, where they differ."),
  upstream_sizes: z
    .record(z.string(), z.string())
    .default({})
    .describe("Value sent for a size that the upstream has another name for; empty: none is sent."),
  default_size: z.string().optional().describe("Used when the client names none; default: the upstream's choice."),
  most_images: z.int().min(1).default(1).describe("Maximum images of one request."),
  references: z
    .strictObject({ min: z.int().min(0).default(0), max: z.int().min(0).default(0) })
    .prefault({})
    .describe("Input images."),
  mask: z.boolean().default(false).describe("Edits accept a mask."),
  output_tokens: z
    .strictObject({ low: z.int().positive(), medium: z.int().positive(), high: z.int().positive() })
    .optional()
    .describe("Output tokens of an image of 1024 x 1024, by quality; larger ones count in proportion."),
});

const embeddingSchema = z.strictObject({
  dimensions: z.int().positive().describe("Vector size when none is requested."),
  sizes: z
    .union([z.array(z.int().positive()).min(1), z.literal("any")])
    .optional()
    .describe("Sizes that may be requested; `any` up to `dimensions`; absent: no other size."),
  token_input: z.boolean().default(false).describe("Accepts arrays of token ids in addition to text."),
});

/** Inputs and outputs of a speech model. */
export const speechSchema = z.strictObject({
  formats: z
    .array(z.enum(["mp3", "wav"]))
    .min(1)
    .describe("Formats that may be requested, the default first."),
  fixed_format: z
    .boolean()
    .default(false)
    .describe("The requested format has no effect: the response has the first format."),
  instructions: z.boolean().default(false).describe("Accepts speaking instructions."),
  segment_characters: z.int().positive().describe("Maximum characters of one upstream call; longer input is split."),
  ideograph_weight: z.int().positive().default(1).describe("Characters that one CJK ideograph counts as."),
  voices: z.array(z.string().min(1)).min(1).describe("Known voices, the default first."),
});

/** Inputs and outputs of a transcription model. */
export const transcriptionSchema = z.strictObject({
  formats: z
    .array(z.enum(["json", "verbose_json", "diarized_json"]))
    .min(1)
    .describe("Response formats that its upstreams support, the default first; text, srt and vtt are made from these."),
  streams: z.boolean().default(false).describe("The transcript can be streamed as events."),
  logprobs: z.boolean().default(false).describe("Supports log probabilities, in the format json."),
  prompt: z.boolean().default(true).describe("Accepts a prompt."),
  max_seconds: z.int().positive().optional().describe("Longest audio that its upstreams accept."),
  audio_tokens_per_second: z
    .number()
    .positive()
    .optional()
    .describe("Tokens of one second of audio; required for a model that is billed by tokens."),
});

const modelName = z.string().regex(/^[a-z0-9][a-z0-9._:/-]*$/, "must be lower case, digits, and . _ : / -");

/** A model: what it can do, what it costs, and which upstreams serve it. */
export const modelSchema = z.strictObject({
  id: modelName,
  aliases: z
    .array(modelName)
    .max(20)
    .default([])
    .describe("Other names for it in requests. A key that may use one of its names may use the model."),
  owned_by: z.string().min(1),
  display_name: z.string().optional(),
  created: z.union([z.iso.date(), z.int().nonnegative()]).describe("Day of release, or Unix seconds."),
  operations: z
    .array(z.enum(modelOperations, { error: `must be one of ${modelOperations.join(", ")}` }))
    .min(1)
    .describe("The operations that the model serves."),
  reasoning: reasoningSchema.optional().describe("Present for a reasoning model."),
  context_tokens: z.int().positive().optional(),
  max_output_tokens: z.int().positive().optional(),
  image_tokens: z.int().positive().default(3_000).describe("Maximum tokens of one input image."),
  original_image_tokens: z
    .int()
    .positive()
    .optional()
    .describe("The same for an image that is read at its original resolution; default: `image_tokens`."),
  default_image_detail: z
    .enum(["high", "original"])
    .default("high")
    .describe("How an image is read whose request names no detail, or `auto`."),
  tokenizer_margin: z
    .number()
    .min(1)
    .default(1.15)
    .describe("Maximum tokens that the model counts for one token of the gateway's tokenizer."),
  search: z
    .strictObject({
      max_uses: z.int().min(1).default(5).describe("Web searches of a request whose client sets no cap."),
      result_tokens: z
        .int()
        .positive()
        .default(40_000)
        .describe("Maximum input tokens of one search's results, with a wide margin."),
    })
    .prefault({})
    .describe("How web searches that the provider runs are held for, where the model has a price for them."),
  input: z.array(z.enum(["text", "image", "audio", "video", "file"])).default(["text"]),
  output: z.array(z.enum(["text", "image", "audio", "video", "embedding"])).default(["text"]),
  output_cap_field: z
    .enum(["max_tokens", "max_completion_tokens"])
    .optional()
    .describe("The only name under which the upstream accepts the output cap; default: the client's."),
  image: imageSchema.optional().describe("Present for a model that generates images on request."),
  stream_only: z.boolean().default(false).describe("The upstream only streams."),
  embedding: embeddingSchema.optional().describe("Present for an embeddings model."),
  speech: speechSchema.optional().describe("Present for a text-to-speech model."),
  transcription: transcriptionSchema.optional().describe("Present for a transcription model."),
  price: priceSchema,
  strategy: routingStrategy.default("priority"),
  fallbacks: modelFallbacks.default([]),
  upstreams: z.array(upstreamSchema).min(1),
});

/** A reviewed change of a price. Rows are added, and never changed once they are in force. */
export const priceVersionSchema = z.strictObject({
  model: z.string(),
  effective_from: z.iso.datetime().describe("Time from which it is in force (UTC)."),
  accepted_by: z.string().min(1).describe("Who reviewed it."),
  reason: z.string().min(1).describe("Source of the price."),
  price: priceSchema.describe("The whole price, which replaces the previous one."),
});

/** Why a price that public tables have is not in the catalogue, or is another there. */
export const priceReviewSchema = z.strictObject({
  models: z.array(z.string()).min(1),
  unit: z.string().describe("The unit, with its variant and tier as `npm run prices -- diff` lists it."),
  price: z.number().nonnegative().describe("What the tables have, USD. Another price is listed again."),
  reviewed: z.iso.date(),
  source: z.url().describe("The vendor's document."),
  reason: z.string().min(1),
});

/** The catalogue file. `npm run catalog -- schema` writes it as JSON Schema for editors. */
export const catalogSchema = z.strictObject({
  providers: z.record(z.string().regex(/^[a-z0-9-]+$/), providerSchema),
  models: z.array(modelSchema),
  price_reviews: z
    .array(priceReviewSchema)
    .optional()
    .describe("Differences to public tables of prices that were reviewed; `npm run prices -- diff` omits them."),
  price_versions: z
    .array(priceVersionSchema)
    .optional()
    .describe("Accepted price changes, oldest first; `npm run prices -- accept` adds them."),
});
