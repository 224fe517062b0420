import { speechFields } from "@uag/contract/requests/fields.ts";
import { z } from "zod";

/** `POST /v1/audio/speech` */
export const speechSchema = z.object({
  model: z.string().min(1),
  input: speechFields.input,
  voice: speechFields.voice.nullish(),
  response_format: z.string().nullish(),
  instructions: speechFields.instructions.nullish(),
  speed: z.number().nullish().describe("Has no effect."),
  stream_format: z.literal("audio", "only audio can be streamed").nullish(),
});
