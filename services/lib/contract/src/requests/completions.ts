import { z } from "zod";
import { reasoningRequest, samplingFields } from "./chat.ts";
import { modelId } from "./fields.ts";

/** Default of `max_tokens` (OpenAI's reference, create completion). */
export const defaultCompletionTokens = 16;

const error =
  "must be text, or a list with one text. Send one request for each prompt; lists of tokens are not supported";
const prompt = z.union([z.string().min(1), z.array(z.string({ error }).min(1)).length(1, { error })], { error });

const { temperature, top_p, stop, frequency_penalty, presence_penalty, logit_bias } = samplingFields;
const { stream, max_tokens, n, seed, stream_options, user } = reasoningRequest.shape;

/** `POST /v1/completions`: https://platform.openai.com/docs/api-reference/completions/create */
export const completionRequest = z.object({
  model: modelId,
  prompt: prompt.describe("Sent to the model as a user's message."),
  max_tokens: max_tokens.describe(
    "Most tokens of each choice, reasoning included; default: 16, as in OpenAI's API, which is too few for a model that reasons.",
  ),
  n,
  best_of: z.int().min(1).nullish().describe("At most `n`, which has no effect."),
  echo: z.boolean().nullish().describe("Whether each choice begins with the prompt. Not with `logprobs`."),
  logprobs: z
    .int()
    .min(0)
    .max(5)
    .nullish()
    .describe("Log probabilities of the tokens, and of this many alternatives to each, if the provider returns them."),
  suffix: z
    .null({ error: "is not supported: chat models do not insert text" })
    .optional()
    .describe("Not supported: chat models do not insert text."),
  stop,
  temperature,
  top_p,
  frequency_penalty,
  presence_penalty,
  logit_bias: logit_bias.describe("Not sent to any provider."),
  seed,
  stream,
  stream_options,
  user,
});
