import { z } from "zod";

/** `POST /v1/audio/speech` */
export const speechRequest = z.object({
  model: z.string().min(1),
  input: z.string().describe("The text to synthesize; billed per character."),
  voice: z.string().nullish().describe("Voice names of other providers select the default voice."),
  response_format: z.string().nullish(),
  instructions: z.string().nullish().describe("Speaking style, for models that accept instructions."),
  speed: z.number().nullish().describe("Has no effect."),
  stream_format: z.literal("audio", "only audio can be streamed").nullish(),
});
