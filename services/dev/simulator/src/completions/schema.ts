import { z } from "zod";

const text = z.looseObject({ type: z.literal("text"), text: z.string() });
const refusal = z.looseObject({ type: z.literal("refusal"), refusal: z.string() });
const imageUrl = z.looseObject({
  type: z.literal("image_url"),
  image_url: z.looseObject({ url: z.string(), detail: z.enum(["auto", "low", "high", "original"]).optional() }),
});
const inputAudio = z.looseObject({
  type: z.literal("input_audio"),
  input_audio: z.looseObject({ data: z.string(), format: z.string().optional() }),
});
const file = z.looseObject({
  type: z.literal("file"),
  file: z.looseObject({
    file_data: z.string().optional(),
    file_id: z.string().optional(),
    filename: z.string().optional(),
  }),
});
const videoUrl = z.looseObject({ type: z.literal("video_url"), video_url: z.looseObject({ url: z.string() }) });
const videoFrames = z.looseObject({ type: z.literal("video"), video: z.array(z.string()).min(1) });

const textContent = z.union([z.string(), z.array(z.discriminatedUnion("type", [text])).min(1)]);
const assistantContent = z.union([z.string(), z.null(), z.array(z.discriminatedUnion("type", [text, refusal]))]);
const openAiParts = z.discriminatedUnion("type", [text, imageUrl, inputAudio, file]);
const omniParts = z.discriminatedUnion("type", [text, imageUrl, inputAudio, videoUrl, videoFrames]);

const toolCall = z.discriminatedUnion("type", [
  z.looseObject({
    type: z.literal("function"),
    id: z.string(),
    function: z.looseObject({ name: z.string(), arguments: z.string() }),
  }),
  z.looseObject({
    type: z.literal("custom"),
    id: z.string(),
    custom: z.looseObject({ name: z.string(), input: z.string() }),
  }),
]);

const toolName = z
  .string()
  .max(64)
  .regex(/^[a-zA-Z0-9_-]+$/);
const tool = z.discriminatedUnion("type", [
  z.looseObject({
    type: z.literal("function"),
    function: z.looseObject({
      name: toolName,
      description: z.string().optional(),
      parameters: z.record(z.string(), z.unknown()).nullish(),
      strict: z.boolean().nullish(),
    }),
  }),
  z.looseObject({ type: z.literal("custom"), custom: z.looseObject({ name: toolName }) }),
]);

const toolChoice = z.union([
  z.enum(["none", "auto", "required"]),
  z.discriminatedUnion("type", [
    z.looseObject({ type: z.literal("function"), function: z.looseObject({ name: z.string() }) }),
    z.looseObject({ type: z.literal("custom"), custom: z.looseObject({ name: z.string() }) }),
    z.looseObject({
      type: z.literal("allowed_tools"),
      allowed_tools: z.looseObject({
        mode: z.enum(["auto", "required"]),
        tools: z.array(z.looseObject({ type: z.string() })),
      }),
    }),
  ]),
]);

const responseFormat = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text") }),
  z.looseObject({ type: z.literal("json_object") }),
  z.looseObject({
    type: z.literal("json_schema"),
    json_schema: z.looseObject({
      name: toolName,
      schema: z.record(z.string(), z.unknown()).optional(),
      strict: z.boolean().nullish(),
    }),
  }),
]);

function messageSchema<Part extends typeof openAiParts | typeof omniParts>(part: Part) {
  const name = z.string().optional();
  return z.discriminatedUnion("role", [
    z.looseObject({ role: z.literal("system"), content: textContent, name }),
    z.looseObject({ role: z.literal("developer"), content: textContent, name }),
    z.looseObject({ role: z.literal("user"), content: z.union([z.string(), z.array(part).min(1)]), name }),
    z.looseObject({
      role: z.literal("assistant"),
      content: assistantContent.optional(),
      tool_calls: z.array(toolCall).min(1).optional(),
      refusal: z.string().nullish(),
      name,
    }),
    z.looseObject({ role: z.literal("tool"), content: textContent, tool_call_id: z.string() }),
    z.looseObject({ role: z.literal("function"), content: z.string().nullable(), name: z.string() }),
  ]);
}

function chatSchema<Part extends typeof openAiParts | typeof omniParts>(part: Part) {
  return z.looseObject({
    model: z.string(),
    messages: z.array(messageSchema(part)).min(1),
    stream: z.boolean().nullish(),
    stream_options: z
      .looseObject({ include_usage: z.boolean().optional(), include_obfuscation: z.boolean().optional() })
      .nullish(),
    temperature: z.number().min(0).max(2).nullish(),
    top_p: z.number().min(0).max(1).nullish(),
    n: z.int().min(1).max(128).nullish(),
    stop: z.union([z.string(), z.array(z.string()).max(4)]).nullish(),
    max_tokens: z.int().min(1).nullish(),
    max_completion_tokens: z.int().min(1).nullish(),
    presence_penalty: z.number().min(-2).max(2).nullish(),
    frequency_penalty: z.number().min(-2).max(2).nullish(),
    logit_bias: z.record(z.string(), z.number().min(-100).max(100)).nullish(),
    logprobs: z.boolean().nullish(),
    top_logprobs: z.int().min(0).max(20).nullish(),
    seed: z.int().nullish(),
    tools: z.array(tool).min(1).max(128).optional(),
    tool_choice: toolChoice.optional(),
    parallel_tool_calls: z.boolean().optional(),
    response_format: responseFormat.optional(),
    reasoning_effort: z.string().nullish(),
    verbosity: z.enum(["low", "medium", "high"]).nullish(),
    modalities: z.array(z.enum(["text", "audio"])).nullish(),
    audio: z.looseObject({ voice: z.unknown(), format: z.string() }).nullish(),
    prediction: z.looseObject({ type: z.literal("content"), content: textContent }).nullish(),
    metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
    service_tier: z.enum(["auto", "default", "flex", "scale", "priority"]).nullish(),
    user: z.string().optional(),
    store: z.boolean().nullish(),
    prompt_cache_key: z.string().optional(),
    safety_identifier: z.string().optional(),
  });
}

/** A chat completion request with the content parts that OpenAI supports. */
export const openAiChatSchema = chatSchema(openAiParts);
/** The same with the parts of Qwen-Omni-like models: video by URL or frames, and no files. */
export const omniChatSchema = chatSchema(omniParts);

/** A request with the content parts that OpenAI supports. */
export type OpenAiChatRequest = z.infer<typeof openAiChatSchema>;
export type ChatRequest = OpenAiChatRequest | z.infer<typeof omniChatSchema>;
export type ChatMessage = ChatRequest["messages"][number];
export type ContentPart = Exclude<Extract<ChatMessage, { role: "user" }>["content"], string>[number];

/** Request fields documented by OpenAI that this schema does not validate. */
export const otherOpenAiFields: ReadonlySet<string> = new Set([
  "function_call",
  "functions",
  "moderation",
  "prompt_cache_options",
  "prompt_cache_retention",
  "web_search_options",
]);
