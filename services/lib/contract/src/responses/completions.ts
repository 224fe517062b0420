import { z } from "zod";
import { chatCompletionChunk, tokenUsage } from "./chat.ts";

const logprobs = z
  .object({
    tokens: z.array(z.string()),
    token_logprobs: z.array(z.number().nullable()),
    top_logprobs: z.array(z.record(z.string(), z.number())).nullable().describe("Null if `logprobs` is 0."),
    text_offset: z.array(z.int()).describe("Where each token begins in the choice's text."),
  })
  .nullable()
  .describe("Null unless requested, and returned by the provider.");

const choice = z.object({
  index: z.int(),
  text: z.string(),
  logprobs,
  finish_reason: z.string().nullable().describe("stop, length, content_filter; null before the last chunk."),
});

/** A completion in OpenAI's legacy format. */
export const completion = z.object({
  id: z.string(),
  object: z.literal("text_completion"),
  created: z.int().describe("Unix time, seconds."),
  model: z.string().describe("The model that served the request."),
  choices: z.array(choice),
  usage: tokenUsage.nullish(),
});

/** The data of one event of the stream, which ends with `data: [DONE]`. */
export const completionChunk = completion.extend({ usage: chatCompletionChunk.shape.usage });
