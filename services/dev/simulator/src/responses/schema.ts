import { z } from "zod";

/** The request of OpenAI's Responses API: https://platform.openai.com/docs/api-reference/responses/create */

const role = z.enum(["user", "assistant", "system", "developer"]);
const inputText = z.looseObject({ type: z.literal("input_text"), text: z.string() });
const outputText = z.looseObject({ type: z.literal("output_text"), text: z.string() });
const refusal = z.looseObject({ type: z.literal("refusal"), refusal: z.string() });
const inputImage = z.looseObject({
  type: z.literal("input_image"),
  image_url: z.string().nullish(),
  file_id: z.string().nullish(),
  detail: z.enum(["auto", "low", "high", "original"]).nullish(),
});
const inputFile = z.looseObject({
  type: z.literal("input_file"),
  file_data: z.string().nullish(),
  file_url: z.string().nullish(),
  file_id: z.string().nullish(),
  filename: z.string().nullish(),
});
const part = z.discriminatedUnion("type", [inputText, outputText, refusal, inputImage, inputFile]);
const content = z.union([z.string(), z.array(part)]);

const id = z.string().nullish();
const callId = z.string().min(1).max(64);
const message = z.looseObject({ type: z.literal("message").nullish(), id, role, content });
const typed = z.discriminatedUnion("type", [
  z.looseObject({
    type: z.literal("reasoning"),
    id,
    summary: z.array(z.looseObject({ type: z.literal("summary_text"), text: z.string() })),
    encrypted_content: z.string().nullish(),
  }),
  z.looseObject({
    type: z.literal("function_call"),
    id,
    call_id: callId,
    name: z.string(),
    namespace: z.string().nullish(),
    arguments: z.string(),
  }),
  z.looseObject({ type: z.literal("function_call_output"), id, call_id: callId, output: content }),
  z.looseObject({ type: z.literal("custom_tool_call"), id, call_id: callId, name: z.string(), input: z.string() }),
  z.looseObject({ type: z.literal("custom_tool_call_output"), id, call_id: callId, output: content }),
  z.looseObject({ type: z.literal("web_search_call"), id, action: z.looseObject({ type: z.string() }) }),
  z.looseObject({ type: z.literal("item_reference"), id: z.string() }),
  z.looseObject({ type: z.literal("computer_call_output"), call_id: callId, output: z.looseObject({}) }),
]);
const item = z.union([message, typed]);

const name = z
  .string()
  .max(128)
  .regex(/^[a-zA-Z0-9_-]+$/);
const schema = z.record(z.string(), z.unknown());
const functionTool = z.looseObject({
  type: z.literal("function"),
  name,
  description: z.string().nullish(),
  parameters: schema.nullish(),
  strict: z.boolean().nullish(),
});
const customTool = z.looseObject({ type: z.literal("custom"), name, description: z.string().nullish() });
const tool = z.discriminatedUnion("type", [
  functionTool,
  customTool,
  z.looseObject({
    type: z.literal("namespace"),
    name,
    tools: z.array(z.discriminatedUnion("type", [functionTool, customTool])),
  }),
  z.looseObject({ type: z.enum(["web_search", "web_search_2025_08_26"]) }),
  z.looseObject({ type: z.enum(["web_search_preview", "web_search_preview_2025_03_11"]) }),
  z.looseObject({ type: z.enum(["local_shell", "apply_patch", "tool_search", "computer"]) }),
  z.looseObject({ type: z.literal("shell"), environment: z.looseObject({ type: z.string() }).nullish() }),
]);

const toolChoice = z.union([
  z.enum(["none", "auto", "required"]),
  z.looseObject({
    type: z.literal("allowed_tools"),
    mode: z.enum(["auto", "required"]),
    tools: z.array(z.looseObject({ type: z.string() })),
  }),
  z.looseObject({ type: z.string(), name: z.string().optional() }),
]);

const format = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text") }),
  z.looseObject({ type: z.literal("json_object") }),
  z.looseObject({ type: z.literal("json_schema"), name, schema, strict: z.boolean().nullish() }),
]);

export const responsesSchema = z.looseObject({
  model: z.string(),
  input: z.union([z.string(), z.array(item).min(1)]),
  instructions: z.string().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_obfuscation: z.boolean().nullish() }).nullish(),
  include: z.array(z.string()).nullish(),
  store: z.boolean().nullish(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
  max_output_tokens: z.int().min(16).nullish(),
  max_tool_calls: z.int().min(1).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  tools: z.array(tool).nullish(),
  tool_choice: toolChoice.nullish(),
  text: z.looseObject({ format: format.nullish(), verbosity: z.enum(["low", "medium", "high"]).nullish() }).nullish(),
  reasoning: z
    .looseObject({
      effort: z.string().nullish(),
      summary: z.enum(["auto", "concise", "detailed"]).nullish(),
    })
    .nullish(),
  service_tier: z.enum(["auto", "default", "flex", "scale", "priority"]).nullish(),
  truncation: z.enum(["auto", "disabled"]).nullish(),
  user: z.string().nullish(),
  prompt_cache_key: z.string().nullish(),
  prompt_cache_retention: z.string().nullish(),
  prompt_cache_options: z.looseObject({}).nullish(),
  safety_identifier: z.string().nullish(),
  moderation: z.unknown().optional(),
  background: z.boolean().nullish(),
  conversation: z.unknown().optional(),
  context_management: z.unknown().optional(),
  previous_response_id: z.string().nullish(),
  prompt: z.unknown().optional(),
});

export type ResponsesRequest = z.infer<typeof responsesSchema>;
export type InputItem = Exclude<ResponsesRequest["input"], string>[number];

/** The first top-level field unknown to OpenAI. */
export const unknownField = (body: object): string | undefined =>
  Object.keys(body).find((field) => !(field in responsesSchema.shape));
