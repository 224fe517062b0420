import { z } from "zod";
import { geminiRatios, grokRatios } from "./image-ratios.ts";

/** Longer than any image model reads, characters. */
const maxPromptChars = 32_000;
const maxTextChars = 10_000;
const maxSeed = 2_147_483_647;
/** More than any model accepts. */
const maxReferences = 100;
/** Maximum input images of one edit. */
export const maxEditImages = 16;
/** Maximum output images of one edit. */
export const maxEdits = 10;

const prompt = z.string().min(1).max(maxPromptChars);
const quality = z.enum(["auto", "low", "medium", "high", "standard", "hd"]);
const background = z.enum(["transparent", "opaque", "auto"]);
const outputFormat = z.enum(["png", "jpeg", "webp"]);

/** Image quality, with OpenAI's values. */
export type Quality = z.infer<typeof quality>;

/** Fields accepted by every family with OpenAI's format (OpenAI's reference, create image). */
const commonShape = {
  model: z.string(),
  prompt,
  n: z.int().min(1).nullish(),
  size: z.string().min(1).max(32).nullish(),
  quality: quality.nullish(),
  response_format: z.enum(["url", "b64_json"]).nullish(),
  stream: z.boolean().nullish(),
  user: z.string().max(512).nullish(),
} as const;

const block = z
  .looseObject({ text: z.string().max(maxTextChars).optional(), image: z.string().min(1).optional() })
  .refine(({ text, image }) => (text === undefined) !== (image === undefined), "must have either text or image");

/** DashScope's own body: one message of content blocks, and parameters. */
const alpha = z.looseObject({
  model: z.string(),
  input: z.looseObject({
    messages: z
      .array(z.looseObject({ role: z.literal("user"), content: z.array(block).min(1).max(64) }))
      .length(1, "must have exactly one message"),
  }),
  parameters: z
    .looseObject({
      size: z.string().nullish(),
      n: z.int().min(1).nullish(),
      seed: z.int().min(0).max(maxSeed).nullish(),
      watermark: z.boolean().nullish(),
      negative_prompt: z.string().max(maxTextChars).nullish(),
      prompt_extend: z.boolean().nullish(),
    })
    .nullish(),
});

/** OpenAI's own body. */
const gamma = z.looseObject({
  ...commonShape,
  background: background.nullish(),
  output_format: outputFormat.nullish(),
  output_compression: z.int().min(0).max(100).nullish(),
  moderation: z.enum(["low", "auto"]).nullish(),
  partial_images: z.int().min(0).max(3).nullish(),
});

const image = z.string().min(1);
const referencesShape = {
  ...commonShape,
  image: z
    .union([image, z.array(image).max(maxReferences)], { error: "must be a URL, a data URL, or a list of them" })
    .nullish(),
} as const;

/**
 * The bodies of `POST /v1/images/generations`, by model family: each with its own settings next to
 * the common ones, under its provider's names.
 */
export const imageRequests = {
  alpha,
  gamma,
  seedream: z.looseObject({
    ...referencesShape,
    seed: z.int().min(-1).max(maxSeed).nullish(),
    guidance_scale: z.number().min(1).max(10).nullish(),
    watermark: z.boolean().nullish(),
    output_format: z.enum(["png", "jpeg"]).nullish(),
  }),
  grok: z.looseObject({
    ...referencesShape,
    aspect_ratio: z.enum([...grokRatios, "auto"]).nullish(),
    resolution: z.enum(["1k", "1.5k", "2k"]).nullish(),
  }),
  gemini: z.looseObject({
    ...referencesShape,
    aspect_ratio: z.enum(geminiRatios).nullish(),
    resolution: z.enum(["1K", "2K", "4K"]).nullish(),
  }),
} as const;

const digits = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,4}$/, "must be a whole number")
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .describe(`An integer from ${min} to ${max}.`);

/**
 * All sizes of the API: an unknown size gets a different error than one that only this model does
 * not support.
 */
const editSizes = ["auto", "1024x1024", "1024x1536", "1536x1024", "256x256", "512x512"] as const;

/** The text fields of the form of `POST /v1/images/edits` (OpenAI's reference, create edit). */
export const imageEditFields = z.looseObject({
  prompt,
  n: digits(1, maxEdits).optional(),
  size: z.enum(editSizes).optional(),
  quality: quality.optional(),
  response_format: z.enum(["b64_json", "url"]).optional(),
  output_format: outputFormat.optional(),
  output_compression: digits(0, 100).optional(),
  background: background.optional(),
  input_fidelity: z.enum(["high", "low"]).optional(),
  partial_images: digits(0, 3).optional(),
  stream: z.enum(["true", "false"]).optional(),
  user: z.string().max(512).optional(),
});

const picture = z.file();

/** The whole form: with the model, and the files, which are read separately. */
export const imageEditRequest = imageEditFields.extend({
  model: z.string().min(1),
  image: picture
    .describe("PNG, JPEG or WebP: a file, or a text field with its https URL. Either this or `image[]` is required.")
    .optional(),
  "image[]": z.array(picture).max(maxEditImages).describe("Several images, for models that accept them.").optional(),
  mask: picture.describe("A PNG of the image's size, like `image`; transparent areas are edited.").optional(),
});
