import { capabilitySettings } from "@uag/pipeline/settings";
import { z } from "zod";

export const schema = z.object({
  ...capabilitySettings,
  MAX_CHARACTERS: z.coerce.number().int().min(1).default(50_000).describe("Longest input, in characters as billed."),
  ENCODER_THREADS: z.coerce.number().int().min(1).max(64).default(2).describe("Most threads that encode MP3."),
});
