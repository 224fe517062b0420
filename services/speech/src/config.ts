import { capabilitySettings } from "@uag/pipeline/settings";
import { z } from "zod";

export const schema = z.object({
  ...capabilitySettings,
  MAX_CHARACTERS: z.coerce
    .number()
    .int()
    .min(1)
    .default(50_000)
    .describe("Maximum length of the input, in billed characters."),
  ENCODER_THREADS: z.coerce
    .number()
    .int()
    .min(1)
    .max(64)
    .default(2)
    .describe("Maximum number of threads that encode MP3."),
});
