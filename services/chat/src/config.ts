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
  BACKGROUND_EVENT_BYTES: z.coerce
    .number()
    .int()
    .positive()
    .default(32 * 1024 ** 2)
    .describe(
      "Maximum bytes of the events that are stored of a response streamed in the background; later ones are left out, except the last.",
    ),
  BACKGROUND_FOLLOWERS: z.coerce
    .number()
    .int()
    .positive()
    .default(128)
    .describe(
      "Clients that may follow streams of responses in the background at a replica; of an account a quarter, of a key an eighth.",
    ),
});

/** The settings of the service. */
export type ChatSettings = z.infer<typeof schema>;
