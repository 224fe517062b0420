import { z } from "zod";

const cacheControl = z.strictObject({ type: z.literal("ephemeral"), ttl: z.enum(["5m", "1h"]).optional() }).nullish();

const textBlock = z.looseObject({
  type: z.literal("text"),
  text: z.string(),
  cache_control: cacheControl,
  citations: z.array(z.unknown()).nullish(),
});
const imageBlock = z.looseObject({
  type: z.literal("image"),
  source: z.discriminatedUnion("type", [
    z.looseObject({
      type: z.literal("base64"),
      media_type: z.enum(["image/jpeg", "image/png", "image/gif", "image/webp"]),
      data: z.string(),
    }),
    z.looseObject({ type: z.literal("url"), url: z.string() }),
    z.looseObject({ type: z.literal("file"), file_id: z.string() }),
  ]),
  cache_control: cacheControl,
});
const documentBlock = z.looseObject({
  type: z.literal("document"),
  source: z.discriminatedUnion("type", [
    z.looseObject({ type: z.literal("base64"), media_type: z.literal("application/pdf"), data: z.string() }),
    z.looseObject({ type: z.literal("text"), media_type: z.literal("text/plain"), data: z.string() }),
    z.looseObject({ type: z.literal("content"), content: z.unknown() }),
    z.looseObject({ type: z.literal("url"), url: z.string() }),
    z.looseObject({ type: z.literal("file"), file_id: z.string() }),
  ]),
  title: z.string().nullish(),
  context: z.string().nullish(),
  cache_control: cacheControl,
});
const toolUse = z.looseObject({
  type: z.literal("tool_use"),
  id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
  name: z.string().min(1).max(200),
  input: z.record(z.string(), z.unknown()),
  cache_control: cacheControl,
});
const toolResult = z.looseObject({
  type: z.literal("tool_result"),
  tool_use_id: z.string(),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]).optional(),
  is_error: z.boolean().optional(),
  cache_control: cacheControl,
});
const thinking = z.looseObject({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() });
const redacted = z.looseObject({ type: z.literal("redacted_thinking"), data: z.string() });

const passedThrough = [
  "search_result",
  "server_tool_use",
  "web_search_tool_result",
  "web_fetch_tool_result",
  "code_execution_tool_result",
  "bash_code_execution_tool_result",
  "text_editor_code_execution_tool_result",
  "tool_search_tool_result",
  "container_upload",
] as const;
const otherBlock = z.looseObject({ type: z.enum(passedThrough), cache_control: cacheControl });

const block = z.discriminatedUnion("type", [
  textBlock,
  imageBlock,
  documentBlock,
  toolUse,
  toolResult,
  thinking,
  redacted,
  otherBlock,
]);

const customTool = z.looseObject({
  type: z.literal("custom").nullish(),
  name: z
    .string()
    .min(1)
    .max(128)
    .regex(/^[a-zA-Z0-9_-]+$/),
  description: z.string().optional(),
  input_schema: z.looseObject({ type: z.literal("object") }),
  cache_control: cacheControl,
});
const serverTool = z.looseObject({ type: z.string().regex(/_\d{8}$/), cache_control: cacheControl });

/** `POST /v1/messages`, without fields specific to some versions or betas. */
export const messagesSchema = z.looseObject({
  model: z.string(),
  max_tokens: z.int().min(1),
  messages: z
    .array(
      z.looseObject({
        role: z.enum(["user", "assistant", "system"]),
        content: z.union([z.string(), z.array(block)]),
      }),
    )
    .min(1),
  system: z.union([z.string(), z.array(textBlock)]).optional(),
  stream: z.boolean().optional(),
  stop_sequences: z.array(z.string().min(1)).max(8191).optional(),
  metadata: z.strictObject({ user_id: z.string().max(512).nullish() }).optional(),
  tools: z.array(z.union([customTool, serverTool])).optional(),
  tool_choice: z
    .discriminatedUnion("type", [
      z.strictObject({ type: z.literal("auto"), disable_parallel_tool_use: z.boolean().optional() }),
      z.strictObject({ type: z.literal("any"), disable_parallel_tool_use: z.boolean().optional() }),
      z.strictObject({ type: z.literal("tool"), name: z.string(), disable_parallel_tool_use: z.boolean().optional() }),
      z.strictObject({ type: z.literal("none") }),
    ])
    .optional(),
  thinking: z
    .discriminatedUnion("type", [
      z.looseObject({ type: z.literal("enabled"), budget_tokens: z.int().min(1024), display: z.string().optional() }),
      z.looseObject({ type: z.literal("adaptive"), display: z.enum(["summarized", "omitted"]).optional() }),
      z.looseObject({ type: z.literal("disabled") }),
    ])
    .optional(),
  output_config: z
    .looseObject({
      effort: z.enum(["low", "medium", "high", "xhigh", "max"]).nullish(),
      format: z.looseObject({ type: z.literal("json_schema"), schema: z.record(z.string(), z.unknown()) }).nullish(),
    })
    .optional(),
  service_tier: z.enum(["auto", "standard_only"]).optional(),
  speed: z.enum(["standard", "fast"]).optional(),
  cache_control: cacheControl,
  temperature: z.number().min(0).max(1).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: z.int().min(0).optional(),
});

/** `POST /v1/messages/count_tokens` */
export const countSchema = messagesSchema.omit({ max_tokens: true, stream: true });

export type MessagesRequest = z.infer<typeof messagesSchema>;
export type CountRequest = z.infer<typeof countSchema>;
export type MessageBlock = z.infer<typeof block>;
export type CacheControl = z.infer<typeof cacheControl>;

/** Fields that exist in some version and are not validated by the schema. */
export const otherAnthropicFields: ReadonlySet<string> = new Set([
  "container",
  "inference_geo",
  "diagnostics",
  "user_profile_id",
  "workspace_id",
]);
