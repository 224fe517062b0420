import { z } from "zod";

/** `model` of every request. */
export const modelId = z.string().min(1).max(256);

/** What chat completions take, and tools that ask for them (OpenAI's reference, create chat). */
export const chatFields = {
  temperature: z.number().min(0).max(2),
  max_completion_tokens: z.int().min(1),
  reasoning_effort: z.string(),
} as const;

/** Most messages of a conversation; more than any context holds. */
export const maxMessages = 10_000;

/** Longer than any model of images reads, characters. */
const maxPromptChars = 32_000;

/** What requests for images take in OpenAI's shape (OpenAI's reference, create image and edit). */
export const imageFields = {
  prompt: z.string().min(1).max(maxPromptChars),
  quality: z.enum(["auto", "low", "medium", "high", "standard", "hd"]),
  background: z.enum(["transparent", "opaque", "auto"]),
  output_format: z.enum(["png", "jpeg", "webp"]),
} as const;

/** Most pictures that one edit may go by. */
export const maxEditImages = 16;

/** Most pictures that one edit makes. */
export const maxEdits = 10;

/** Most inputs of one call (OpenAI's reference, create embeddings). */
export const maxEmbeddingInputs = 2_048;

/** What requests for embeddings take, beside their inputs. */
export const embeddingFields = {
  dimensions: z.int().positive(),
} as const;

/** What requests for speech take. */
export const speechFields = {
  input: z.string().describe("The text to speak; billed by the character."),
  voice: z.string().describe("Names of other providers' voices give the default voice."),
  instructions: z.string().describe("How to speak, for a model that takes instructions."),
} as const;

/** Resolutions of video; which of them a model makes stands in the catalogue. */
export const videoResolutions = ["480p", "720p", "1080p"] as const;
