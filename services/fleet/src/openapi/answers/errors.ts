import { z } from "zod";

/** OpenAI's shape: everywhere but where the other two are. */
export const nestedError = z.looseObject({
  error: z.looseObject({
    message: z.string(),
    type: z.string().nullish(),
    code: z.union([z.string(), z.number()]).nullish().describe("One of the codes below, or the provider's own."),
    param: z.string().nullish().describe("The field at fault."),
  }),
});

/** Anthropic's shape, on messages. */
export const nativeError = z.looseObject({
  type: z.literal("error"),
  error: z.looseObject({ type: z.string(), message: z.string() }),
  request_id: z.string().nullish(),
});

/** DashScope's shape, of the alpha image models. */
export const flatError = z.looseObject({ code: z.string(), message: z.string(), request_id: z.string() });
