import { z } from "zod";

const count = z.int().min(0);

const usage = z.looseObject({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  prompt_tokens_details: z.looseObject({ cached_tokens: count.optional(), audio_tokens: count.optional() }).nullish(),
  completion_tokens_details: z
    .looseObject({ reasoning_tokens: count.optional(), audio_tokens: count.optional() })
    .nullish(),
});

const toolCall = z.looseObject({
  id: z.string().optional(),
  type: z.string().optional(),
  function: z.looseObject({ name: z.string().optional(), arguments: z.string().optional() }).optional(),
});

const finishReason = z.string().nullish().describe("stop, length, tool_calls, content_filter.");

export const chatCompletion = z.looseObject({
  id: z.string(),
  object: z.literal("chat.completion"),
  created: z.int().describe("Unix time, seconds."),
  model: z.string().describe("The model that answered."),
  choices: z.array(
    z.looseObject({
      index: z.int(),
      message: z.looseObject({
        role: z.literal("assistant"),
        content: z.string().nullish(),
        refusal: z.string().nullish(),
        tool_calls: z.array(toolCall).nullish(),
      }),
      finish_reason: finishReason,
    }),
  ),
  usage: usage.nullish(),
});

/** The data of one event of the stream, which ends with `data: [DONE]`. */
export const chatCompletionChunk = z.looseObject({
  id: z.string(),
  object: z.literal("chat.completion.chunk"),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.looseObject({
      index: z.int(),
      delta: z.looseObject({
        role: z.string().nullish(),
        content: z.string().nullish(),
        tool_calls: z.array(toolCall.extend({ index: z.int() })).nullish(),
      }),
      finish_reason: finishReason,
    }),
  ),
  usage: usage.nullish().describe("On the last chunk, where stream_options asks for it."),
});

/** `POST /v1/messages` */
export const message = z.looseObject({
  id: z.string(),
  type: z.literal("message"),
  role: z.literal("assistant"),
  model: z.string(),
  content: z.array(z.looseObject({ type: z.string() })),
  stop_reason: z.string().nullish(),
  stop_sequence: z.string().nullish(),
  usage: z.looseObject({
    input_tokens: count,
    output_tokens: count,
    cache_creation_input_tokens: count.nullish(),
    cache_read_input_tokens: count.nullish(),
  }),
});

export const tokenCount = z.looseObject({ input_tokens: count });

const prices = z.record(z.string(), z.number().nonnegative());

/** How much a model costs: see `PriceList` of the catalogue. */
const priceList = z.object({
  usd: prices.describe(
    "By unit, or `<unit>:<variant>`: USD per million tokens or characters; per image, search and second of video.",
  ),
  tiers: z
    .array(z.object({ above_input_tokens: count, usd: prices }))
    .describe("Prices of the whole request when its input is longer."),
});

export const model = z.looseObject({
  id: z.string(),
  object: z.literal("model"),
  owned_by: z.string(),
  created: z.int().describe("Unix time, seconds."),
  type: z.literal("model"),
  display_name: z.string(),
  created_at: z.iso.datetime(),
  operations: z.array(z.string()).describe("What the model is served on, such as `chat.completions` and `messages`."),
  input_modalities: z.array(z.string()),
  output_modalities: z.array(z.string()),
  context_tokens: count.optional(),
  max_output_tokens: count.optional(),
  image: z
    .object({
      family: z.string().describe("Whose rules a request for images follows."),
      sizes: z.array(z.string()).describe("Empty: any that the family's rule allows."),
      references: z.object({ min: count, max: count }).describe("Input images."),
      max_images: count,
    })
    .optional(),
  price: priceList,
});

export const modelList = z.looseObject({
  object: z.literal("list"),
  data: z.array(model),
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
});
