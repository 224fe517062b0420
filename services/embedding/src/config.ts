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
    .describe("Maximum concurrent upstream calls for one request whose inputs do not fit into one call."),
});
