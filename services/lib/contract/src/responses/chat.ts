import { z } from "zod";
import { nativeError } from "../errors/shapes.ts";

const count = z.int().min(0);

/** A conversation's token counts. */
export const tokenUsage = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  prompt_tokens_details: z
    .object({
      cached_tokens: count.optional(),
      cache_write_tokens: count.optional(),
      text_tokens: count.optional(),
      audio_tokens: count.optional(),
    })
    .nullish(),
  completion_tokens_details: z
    .object({
      reasoning_tokens: count.optional(),
      text_tokens: count.optional(),
      audio_tokens: count.optional(),
      accepted_prediction_tokens: count.optional(),
      rejected_prediction_tokens: count.optional(),
    })
    .nullish(),
});

/** Optional fields that providers add to a response. */
const served = {
  service_tier: z.string().nullish(),
  system_fingerprint: z.string().nullish().describe("The provider's version of the model."),
};
const logprobs = z.unknown().optional().describe("From the provider, if requested.");
const reasoning = z.string().nullish().describe("The reasoning of a reasoning model, if its provider returns it.");

const toolCall = z.object({
  id: z.string().optional(),
  type: z.string().optional(),
  function: z.object({ name: z.string().optional(), arguments: z.string().optional() }).optional(),
});

const finishReason = z.string().nullish().describe("stop, length, tool_calls, content_filter.");

/** A chat completion in OpenAI's format. */
export const chatCompletion = z.object({
  id: z.string(),
  object: z.literal("chat.completion"),
  created: z.int().describe("Unix time, seconds."),
  model: z.string().describe("The model that served the request."),
  choices: z.array(
    z.object({
      index: z.int(),
      message: z.object({
        role: z.literal("assistant"),
        content: z.string().nullish(),
        refusal: z.string().nullish(),
        reasoning_content: reasoning,
        annotations: z.array(z.looseObject({})).nullish(),
        audio: z.looseObject({}).nullish(),
        tool_calls: z.array(toolCall).nullish(),
      }),
      logprobs,
      finish_reason: finishReason,
    }),
  ),
  ...served,
  usage: tokenUsage.nullish(),
});

/** The data of one event of the stream, which ends with `data: [DONE]`. */
export const chatCompletionChunk = z.object({
  id: z.string(),
  object: z.literal("chat.completion.chunk"),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.object({
      index: z.int(),
      delta: z.object({
        role: z.string().nullish(),
        content: z.string().nullish(),
        refusal: z.string().nullish(),
        reasoning_content: reasoning,
        tool_calls: z.array(toolCall.extend({ index: z.int() })).nullish(),
      }),
      logprobs,
      finish_reason: finishReason,
    }),
  ),
  ...served,
  obfuscation: z.string().optional().describe("Padding that hides the length of a chunk's text."),
  usage: tokenUsage
    .extend({
      cost: z
        .number()
        .optional()
        .describe("What the request was charged, USD: equals cost_usd of its receipt. On the last chunk with usage."),
    })
    .nullish()
    .describe("On the last chunk, if stream_options requests it."),
});

const messageUsage = z.object({
  input_tokens: count.optional(),
  output_tokens: count,
  output_tokens_details: z.object({ thinking_tokens: count.optional() }).nullish(),
  cache_creation_input_tokens: count.nullish(),
  cache_read_input_tokens: count.nullish(),
  cache_creation: z.object({ ephemeral_5m_input_tokens: count, ephemeral_1h_input_tokens: count }).nullish(),
  server_tool_use: z.object({ web_search_requests: count.optional(), web_fetch_requests: count.optional() }).nullish(),
  service_tier: z.string().nullish(),
});

const block = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string(), citations: z.array(z.looseObject({})).nullish() }),
  z.object({ type: z.literal("thinking"), thinking: z.string(), signature: z.string().optional() }),
  z.object({ type: z.literal("redacted_thinking"), data: z.string() }),
  z.object({ type: z.literal("tool_use"), id: z.string(), name: z.string(), input: z.unknown() }),
  z.object({ type: z.literal("server_tool_use"), id: z.string(), name: z.string(), input: z.unknown() }),
  z.object({ type: z.literal("web_search_tool_result"), tool_use_id: z.string(), content: z.unknown() }),
]);

const stopReason = z.string().nullish().describe("end_turn, max_tokens, stop_sequence, tool_use, pause_turn, refusal.");

/** `POST /v1/messages`: https://docs.anthropic.com/en/api/messages */
export const message = z.object({
  id: z.string(),
  type: z.literal("message"),
  role: z.literal("assistant"),
  model: z.string(),
  content: z.array(block),
  stop_reason: stopReason,
  stop_sequence: z.string().nullish(),
  container: z.looseObject({}).nullish().describe("The container in which the provider ran code, if any."),
  usage: messageUsage,
});

const delta = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text_delta"), text: z.string() }),
  z.object({ type: z.literal("input_json_delta"), partial_json: z.string() }),
  z.object({ type: z.literal("thinking_delta"), thinking: z.string() }),
  z.object({ type: z.literal("signature_delta"), signature: z.string() }),
  z.object({ type: z.literal("citations_delta"), citation: z.looseObject({}) }),
]);

/** The data of one event of a stream of `POST /v1/messages`. */
export const messageEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("message_start"), message }),
  z.object({ type: z.literal("content_block_start"), index: count, content_block: block }),
  z.object({ type: z.literal("content_block_delta"), index: count, delta }),
  z.object({ type: z.literal("content_block_stop"), index: count }),
  z.object({
    type: z.literal("message_delta"),
    delta: z.object({ stop_reason: stopReason, stop_sequence: z.string().nullish() }),
    usage: messageUsage,
  }),
  z.object({ type: z.literal("message_stop") }),
  z.object({ type: z.literal("ping") }),
  nativeError,
]);

/** A request's input tokens, in Anthropic's format. */
export const tokenCount = z.object({ input_tokens: count });

const prices = z.record(z.string(), z.number().nonnegative());

/** A model's prices: see `PriceList` of the catalogue. */
const priceList = z.object({
  usd: prices.describe(
    "By unit, or `<unit>:<variant>`: USD per million tokens or characters; per image, search and second of video.",
  ),
  tiers: z
    .array(z.object({ above_input_tokens: count, usd: prices }))
    .describe("Prices of the whole request if its input exceeds this length."),
});

/** A model that the key may use. */
export const model = z.object({
  id: z.string(),
  object: z.literal("model"),
  owned_by: z.string(),
  created: z.int().describe("Unix time, seconds."),
  type: z.literal("model"),
  display_name: z.string(),
  aliases: z.array(z.string()).optional().describe("Other names for the model in requests; absent if there are none."),
  alias_of: z.string().optional().describe("The model's ID, in the entry of one of its other names."),
  created_at: z.iso.datetime(),
  operations: z
    .array(z.string())
    .describe("The operations that serve the model, such as `chat.completions` and `messages`."),
  input_modalities: z.array(z.string()),
  output_modalities: z.array(z.string()),
  context_tokens: count.optional(),
  max_output_tokens: count.optional(),
  reasoning: z
    .object({ efforts: z.array(z.string()).describe("Values of `reasoning_effort`; empty if it cannot be set.") })
    .optional()
    .describe("Present for a model that reasons."),
  image: z
    .object({
      family: z.string().describe("The model family whose rules apply to image requests."),
      sizes: z.array(z.string()).describe("Empty: any size that the model family allows."),
      references: z.object({ min: count, max: count }).describe("Input images."),
      max_images: count,
    })
    .optional(),
  price: priceList,
});

/** The models that the key may use. */
export const modelList = z.object({
  object: z.literal("list"),
  data: z.array(model),
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
});
