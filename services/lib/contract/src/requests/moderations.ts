import { z } from "zod";

/** Maximum texts of one request. A bound of the gateway; OpenAI documents none. */
const maxTexts = 256;

const text = z.string().min(1);
const textPart = z.object({ type: z.literal("text"), text });
const imagePart = z.object({
  type: z.literal("image_url"),
  image_url: z.object({ url: z.string().min(1).describe("The image's URL, or its content as a data URL.") }),
});

/** An input with several parts, which get one result together. */
const parts = z
  .array(z.discriminatedUnion("type", [textPart, imagePart]))
  .min(1)
  .max(maxTexts);

/** `POST /v1/moderations` (OpenAI's reference, create moderation). */
export const moderationRequest = z.object({
  model: z.string().min(1).default("omni-moderation-latest").describe("Images require an `omni-moderation` model."),
  input: z
    .union([text, z.array(text).min(1).max(maxTexts), parts])
    .describe("A text; a list of at most 256 texts, each with its own result; or one input of texts and an image."),
});
