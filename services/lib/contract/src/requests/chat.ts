import { z } from "zod";
import { partFields } from "./chat-parts.ts";
import { maxMessages, maxParts, maxTools, modelId } from "./fields.ts";

const maxStops = 64;

const roles = ["system", "user", "assistant", "tool", "developer", "function"] as const;

const toolCall = z.looseObject({
  id: z.string().optional(),
  type: z.string().optional(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }).optional(),
});

/** A message with content of whichever kind the caller reads. */
export const messageWith = <C extends z.ZodType>(content: C) =>
  z.looseObject({
    role: z.enum(roles),
    content,
    name: z.string().nullish(),
    tool_call_id: z.string().nullish(),
    tool_calls: z.array(toolCall).max(maxParts).nullish(),
  });

const toolType = z.string({ error: 'must be text, such as "function"' });

/** A tool is an object, or that object as a JSON string (as the public contract allows). */
export const tool = z.union([z.looseObject({ type: toolType }), z.string()]);

/** The list of messages, of whichever kind the caller reads. */
export const messagesOf = <M extends z.ZodType>(message: M) => z.array(message).min(1).max(maxMessages);

/** The list of tools, of whichever kind the caller reads. */
export const toolsOf = <T extends z.ZodType>(one: T) => z.array(one).max(maxTools).nullish();

const range = (min: number, max: number) => z.number().min(min).max(max).nullish();
const optionalText = z.string().nullish();
const flag = z.boolean().nullish();
const object = z.looseObject({}).nullish();
const maxTokens = z.int().min(1).nullish();

/** Fields without effect on a reasoning model: they are not even checked there. */
export const samplingFields = {
  temperature: range(0, 2),
  top_p: range(0, 1),
  stop: z
    .union([z.string(), z.array(z.string()).max(maxStops)], { error: `must be text or up to ${maxStops} texts` })
    .nullish(),
  frequency_penalty: range(-2, 2),
  presence_penalty: range(-2, 2),
  logit_bias: z.record(z.string(), z.number().min(-100).max(100)).nullish(),
  logprobs: flag,
  top_logprobs: z.int().min(0).max(20).nullish(),
  modalities: z.array(z.string()).max(8).nullish(),
  audio: object,
  prediction: object,
} as const;

const knownParts = Object.entries(partFields).map(([type, schema]) =>
  z.looseObject({ type: z.literal(type), ...schema.shape }),
);
const otherPart = z
  .looseObject({ type: z.string().min(1) })
  .describe("A part of another type is passed to the model unchanged.");

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
  .describe("Text or a list of parts. Only the roles assistant and function may omit it.");

/** The fields for a reasoning model; further fields are left to the upstream. */
export const reasoningRequest = z.looseObject({
  model: modelId,
  messages: messagesOf(messageWith(content)),
  stream: flag,
  max_tokens: maxTokens,
  max_completion_tokens: maxTokens,
  tools: toolsOf(tool),
  tool_choice: z.union([z.string(), z.looseObject({})], { error: "must be text or an object" }).nullish(),
  parallel_tool_calls: flag,
  response_format: z.looseObject({ type: z.string() }).nullish(),
  n: z.int().min(1).max(128).nullish(),
  seed: z.number().refine(Number.isInteger, "must be a whole number").nullish(),
  reasoning_effort: optionalText,
  verbosity: z.enum(["low", "medium", "high"]).nullish(),
  stream_options: z.looseObject({ include_usage: flag }).nullish(),
  store: flag,
  metadata: object,
  user: optionalText,
  prompt_cache_key: optionalText,
  prompt_cache_retention: optionalText,
});

/** The body of `POST /v1/chat/completions` (OpenAI's reference, create chat completion). */
export const chatRequest = reasoningRequest.extend(samplingFields);
