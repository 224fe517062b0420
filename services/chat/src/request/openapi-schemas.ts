import { maxMessages } from "@uag/contract/requests/fields.ts";
import { z } from "zod";
import { maxParts, message, samplingSchema } from "./chat-schema.ts";
import { partFields } from "./parts.ts";

const knownParts = Object.entries(partFields).map(([type, schema]) =>
  z.looseObject({ type: z.literal(type), ...schema.shape }),
);
const otherPart = z
  .looseObject({ type: z.string().min(1) })
  .describe("A part of another type goes to the model as it is.");

const content = z
  .union([
    z.string(),
    z
      .array(z.union([...knownParts, otherPart]))
      .min(1)
      .max(maxParts),
    z.null(),
  ])
  .optional()
  .describe("Text, or a list of parts. Only roles assistant and function may leave it out.");

/**
 * What `chatSchema` accepts, with message content spelled out: the validator checks that by hand.
 */
export const chatCompletionBody = samplingSchema.extend({
  messages: z
    .array(z.looseObject({ ...message.shape, content }))
    .min(1)
    .max(maxMessages),
});
