import { capabilitySettings } from "@uag/pipeline/settings";
import { z } from "zod";

export const schema = z.object({
  ...capabilitySettings,
  STORED_RESPONSES: z.coerce
    .number()
    .int()
    .min(1)
    .default(10_000)
    .describe("Maximum responses that an account with `store_responses` stores; its oldest are deleted."),
  STORED_RESPONSE_BYTES: z.coerce
    .number()
    .int()
    .min(1)
    .default(1024 ** 3)
    .describe("Maximum bytes of an account's stored responses and their requests; its oldest are deleted."),
  BACKGROUND_RESPONSES: z.coerce
    .number()
    .int()
    .positive()
    .default(100)
    .describe("Responses that an account may have in progress in the background."),
  BACKGROUND_AT_ONCE: z.coerce
    .number()
    .int()
    .min(0)
    .default(32)
    .describe("Responses that a replica makes in the background at a time; 0: it makes none."),
});

/** The settings of the service. */
export type ChatSettings = z.infer<typeof schema>;
