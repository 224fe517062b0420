import { z } from "zod";

/** `POST /v1/audio/speech` */
export const speechRequest = z.object({
  model: z.string().min(1),
  input: z.string().describe("The text to speak; billed by the character."),
  voice: z.string().nullish().describe("Names of other providers' voices give the default voice."),
  response_format: z.string().nullish(),
  instructions: z.string().nullish().describe("How to speak, for a model that takes instructions."),
  speed: z.number().nullish().describe("Has no effect."),
  stream_format: z.literal("audio", "only audio can be streamed").nullish(),
});
