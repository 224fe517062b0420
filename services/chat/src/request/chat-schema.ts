import { chatFields, maxMessages, modelId } from "@uag/contract/requests/fields.ts";
import { addFault, parseToFault } from "@uag/kit/first-fault.ts";
import { z } from "zod";
import { contentPart } from "./parts.ts";

/** Maximum content parts, and tool calls, of one message. */
export const maxParts = 10_000;
const maxTools = 1_000;
const maxStops = 64;

const roles = ["system", "user", "assistant", "tool", "developer", "function"] as const;

const contentText = z.string({ error: "must be text or a list of content parts" });
const contentParts = z.array(contentPart).min(1).max(maxParts);

const toolCall = z.looseObject({
  id: z.string().optional(),
  type: z.string().optional(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }).optional(),
});

export const message = z
  .looseObject({
    role: z.enum(roles),
    content: z.unknown().optional(),
    name: z.string().nullish(),
    tool_call_id: z.string().nullish(),
    tool_calls: z.array(toolCall).max(maxParts).nullish(),
  })
  .superRefine((value, context) => {
    const fault = (path: string, message: string): void =>
      context.addIssue({ code: "custom", path: [path], message, continue: false });
    const mayBeEmpty = value.role === "assistant" || value.role === "function";
    if (value.content === null || value.content === undefined) {
      if (!mayBeEmpty) fault("content", "is required");
    } else {
      const schema = Array.isArray(value.content) ? contentParts : contentText;
      addFault(context, parseToFault(schema, value.content), ["content"]);
    }
    if (value.role === "tool" && typeof value.tool_call_id !== "string") {
      fault("tool_call_id", "is required for role tool");
    }
  });

const functionTool = z.object({ function: z.object({ name: z.string().min(1) }) });

const noTool = "must be an object, or a string that holds one as JSON";

/** A tool is an object, or that object as a JSON string (as the public contract allows). */
const tool = z.union([z.looseObject({ type: z.string() }), z.string()]).superRefine((value, context) => {
  if (typeof value === "string") {
    if (parsedTool(value) !== undefined) return;
    context.addIssue({ code: "custom", message: noTool, continue: false });
  } else if (value.type === "function") {
    addFault(context, parseToFault(functionTool, value));
  }
});

/** A tool given as text, or undefined when the text is not a JSON object. */
export function parsedTool(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const range = (min: number, max: number) => z.number().min(min).max(max).nullish();
const optionalText = z.string().nullish();
const flag = z.boolean().nullish();
const object = z.looseObject({}).nullish();

/** Fields without effect on a reasoning model: they are not even checked there. */
export const samplingFields = {
  temperature: chatFields.temperature.nullish(),
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

export const modelSchema = z.object({ model: modelId });

const commonFields = {
  model: modelId,
  messages: z.array(message).min(1).max(maxMessages),
  stream: flag,
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: chatFields.max_completion_tokens.nullish(),
  tools: z.array(tool).max(maxTools).nullish(),
  tool_choice: z.union([z.string(), z.looseObject({})], { error: "must be text or an object" }).nullish(),
  parallel_tool_calls: flag,
  response_format: z.looseObject({ type: z.string() }).nullish(),
  n: z.int().min(1).max(128).nullish(),
  seed: z.number().refine(Number.isInteger, "must be a whole number").nullish(),
  reasoning_effort: chatFields.reasoning_effort.nullish(),
  verbosity: z.enum(["low", "medium", "high"]).nullish(),
  stream_options: z.looseObject({ include_usage: flag }).nullish(),
  store: flag,
  metadata: object,
  user: optionalText,
  prompt_cache_key: optionalText,
  prompt_cache_retention: optionalText,
} as const;

type Checked = z.infer<typeof reasoningSchema> & { [F in keyof typeof samplingFields]?: unknown };

function crossChecks(value: Checked, context: z.RefinementCtx): void {
  const fault = (path: string, message: string): void => context.addIssue({ code: "custom", path: [path], message });
  if (value.stream_options != null && value.stream !== true) fault("stream_options", "requires stream to be true");
}

/** The fields for a reasoning model. */
export const reasoningSchema = z.looseObject(commonFields);

export const samplingSchema = reasoningSchema.extend(samplingFields);

/** The request body of `POST /v1/chat/completions`; further fields are left to the upstream. */
export const chatSchema = samplingSchema.superRefine((value, context) => {
  crossChecks(value, context);
  const fault = (path: string, message: string): void => context.addIssue({ code: "custom", path: [path], message });
  if (value.top_logprobs != null && value.logprobs !== true) fault("top_logprobs", "requires logprobs to be true");
  if (value.audio != null && value.modalities?.includes("audio") !== true)
    fault("audio", "requires audio in modalities");
});

export const reasoningChatSchema = reasoningSchema.superRefine(crossChecks);
