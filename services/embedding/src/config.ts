import { capabilitySettings } from "@uag/pipeline/settings";
import { z } from "zod";

export const schema = z.object({
  ...capabilitySettings,
  PARTS_AT_ONCE: z.coerce
    .number()
    .int()
    .min(1)
    .max(64)
    .default(4)
    .describe("Upstream calls under way at once for one request whose inputs an upstream does not take together."),
});
