import { z } from "zod";

/** The `model` field of every request. */
export const modelId = z.string().min(1).max(256);

/** Fields of chat completions, and of tools that request them (OpenAI's reference, create chat). */
export const chatFields = {
  temperature: z.number().min(0).max(2),
  max_completion_tokens: z.int().min(1),
  reasoning_effort: z.string(),
} as const;

/** Maximum messages of a conversation; more than any context window holds. */
export const maxMessages = 10_000;

/** Longer than any image model reads, characters. */
const maxPromptChars = 32_000;

/** Fields of image requests in OpenAI's format (OpenAI's reference, create image and edit). */
export const imageFields = {
  prompt: z.string().min(1).max(maxPromptChars),
  quality: z.enum(["auto", "low", "medium", "high", "standard", "hd"]),
  background: z.enum(["transparent", "opaque", "auto"]),
  output_format: z.enum(["png", "jpeg", "webp"]),
} as const;

/** Maximum input images of one edit. */
export const maxEditImages = 16;

/** Maximum output images of one edit. */
export const maxEdits = 10;

/** Maximum inputs of one call (OpenAI's reference, create embeddings). */
export const maxEmbeddingInputs = 2_048;

/** Fields of embeddings requests, other than their inputs. */
export const embeddingFields = {
  dimensions: z.int().positive(),
} as const;

/** Fields of speech requests. */
export const speechFields = {
  input: z.string().describe("The text to speak; billed by the character."),
  voice: z.string().describe("Names of other providers' voices give the default voice."),
  instructions: z.string().describe("How to speak, for a model that takes instructions."),
} as const;

/** Video resolutions; the catalogue says which of them a model supports. */
export const videoResolutions = ["480p", "720p", "1080p"] as const;
