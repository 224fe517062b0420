import { z } from "zod";

const count = z.int().min(0);
const loose = z.looseObject({});

const outputText = z.object({
  type: z.literal("output_text"),
  text: z.string(),
  annotations: z.array(loose),
  logprobs: z.array(loose),
});
const refusalPart = z.object({ type: z.literal("refusal"), refusal: z.string() });
const part = z.discriminatedUnion("type", [outputText, refusalPart]);
const summary = z.object({ type: z.literal("summary_text"), text: z.string() });

const status = z.enum(["in_progress", "completed", "incomplete"]);
const call = {
  id: z.string(),
  status,
  call_id: z.string(),
  name: z.string(),
  namespace: z.string().optional(),
} as const;

/** Items with which a provider shows what it did itself, and calls of tools that only its API has. */
const providersItem = z.looseObject({
  type: z.enum([
    "web_search_call",
    "tool_search_call",
    "tool_search_output",
    "local_shell_call",
    "shell_call",
    "apply_patch_call",
    "computer_call",
  ]),
  id: z.string(),
  status: z.string().optional(),
});

const outputItem = z.discriminatedUnion("type", [
  providersItem,
  z.looseObject({
    type: z.literal("message"),
    id: z.string(),
    status,
    role: z.literal("assistant"),
    content: z.array(part),
  }),
  z.looseObject({
    type: z.literal("reasoning"),
    id: z.string(),
    summary: z.array(summary).describe("The model's reasoning, if its provider returns it."),
    encrypted_content: z.string().optional().describe("State for the provider: return the item unchanged."),
  }),
  z.looseObject({ type: z.literal("function_call"), ...call, arguments: z.string().describe("JSON.") }),
  z.looseObject({ type: z.literal("custom_tool_call"), ...call, input: z.string() }),
]);

/** A response of `POST /v1/responses/input_tokens` (OpenAI's reference, get input token counts). */
export const inputTokens = z.strictObject({ object: z.literal("response.input_tokens"), input_tokens: z.int() });

/**
 * A response of `POST /v1/responses` (OpenAI's reference, the response object). That of a provider with
 * the Responses API is passed on as received.
 */
export const response = z.looseObject({
  id: z.string(),
  object: z.literal("response"),
  created_at: z.int().describe("Unix time, seconds."),
  completed_at: z.int().nullable().optional().describe("Unix time, seconds, of a completed response."),
  status: z
    .enum(["queued", "in_progress", "completed", "incomplete", "failed", "cancelled"])
    .describe("Of one that is made in the background also queued, failed and cancelled."),
  background: z.boolean(),
  error: z
    .object({ code: z.string(), message: z.string() })
    .nullable()
    .describe("Why a response in the background has failed: the error that the request would have got."),
  incomplete_details: z
    .object({ reason: z.enum(["max_output_tokens", "content_filter"]) })
    .nullable()
    .describe("The reason if the response is incomplete."),
  model: z.string().describe("The model that served the request."),
  output: z.array(outputItem),
  previous_response_id: z.string().nullable(),
  service_tier: z.string(),
  store: z
    .boolean()
    .describe("Whether the response is stored. In a stream, only the last event says so: it is stored before that."),
  instructions: z
    .string()
    .nullable()
    .describe("This field and the following ones repeat the request, if it was short."),
  frequency_penalty: z.number().optional(),
  max_output_tokens: count.nullable(),
  max_tool_calls: count.nullable().optional(),
  metadata: loose,
  parallel_tool_calls: z.boolean(),
  presence_penalty: z.number().optional(),
  prompt_cache_key: z.string().nullable().optional(),
  prompt_cache_retention: z.string().nullable().optional(),
  safety_identifier: z.string().nullable().optional(),
  reasoning: z.object({ effort: z.string().nullable(), summary: z.string().nullable() }),
  temperature: z.number(),
  text: z.object({ format: loose, verbosity: z.string() }),
  tool_choice: z.union([z.string(), loose]),
  tools: z.array(loose),
  top_logprobs: count.optional(),
  top_p: z.number(),
  truncation: z.string(),
  user: z.string().nullable(),
  usage: z
    .object({
      input_tokens: count,
      input_tokens_details: z.object({ cached_tokens: count, cache_write_tokens: count.optional() }),
      output_tokens: count,
      output_tokens_details: z.object({ reasoning_tokens: count }),
      total_tokens: count,
    })
    .nullable(),
});

/** The response of a stream's last event. */
const billed = response.extend({
  usage: response.shape.usage
    .unwrap()
    .extend({
      cost: z
        .number()
        .optional()
        .describe("What the request was charged, USD: equals cost_usd of its receipt. In the last event of a stream."),
    })
    .nullable(),
});

const event = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.looseObject({ type: z.literal(type), sequence_number: count, ...shape });
const place = { item_id: z.string(), output_index: count } as const;
const inMessage = { ...place, content_index: count } as const;
const inSummary = { ...place, summary_index: count } as const;
const logprobs = z.array(loose);
const repeatedLogprobs = logprobs.describe("Empty for a text of more than 1,000 tokens: its deltas have them.");

/** The data of one event of a stream of `POST /v1/responses`; the last one holds the response. */
export const responseEvent = z.discriminatedUnion("type", [
  event("response.created", { response }),
  event("response.in_progress", { response }),
  event("response.completed", { response: billed }),
  event("response.incomplete", { response: billed }),
  event("response.failed", {
    response: response.extend({
      status: z.literal("failed"),
      error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
    }),
  }),
  event("response.output_item.added", { output_index: count, item: outputItem }),
  event("response.output_item.done", { output_index: count, item: outputItem }),
  event("response.content_part.added", { ...inMessage, part }),
  event("response.content_part.done", { ...inMessage, part }),
  event("response.output_text.delta", { ...inMessage, delta: z.string(), logprobs }),
  event("response.output_text.done", { ...inMessage, text: z.string(), logprobs: repeatedLogprobs }),
  event("response.refusal.delta", { ...inMessage, delta: z.string() }),
  event("response.refusal.done", { ...inMessage, refusal: z.string() }),
  event("response.reasoning_summary_part.added", { ...inSummary, part: summary }),
  event("response.reasoning_summary_part.done", { ...inSummary, part: summary }),
  event("response.reasoning_summary_text.delta", { ...inSummary, delta: z.string() }),
  event("response.reasoning_summary_text.done", { ...inSummary, text: z.string() }),
  event("response.function_call_arguments.delta", { ...place, delta: z.string() }),
  event("response.function_call_arguments.done", { ...place, name: z.string().optional(), arguments: z.string() }),
  event("response.custom_tool_call_input.delta", { ...place, delta: z.string() }),
  event("response.custom_tool_call_input.done", { ...place, input: z.string() }),
  ...(["in_progress", "searching", "completed"] as const).map((state) =>
    event(`response.web_search_call.${state}`, { ...place }),
  ),
  z.object({
    type: z.literal("error"),
    code: z.string(),
    message: z.string(),
    param: z.string().nullable(),
  }),
]);

/** A response of `DELETE /v1/responses/{id}` (OpenAI's reference, delete a model response). */
export const deletedResponse = z.strictObject({
  id: z.string(),
  object: z.literal("response"),
  deleted: z.literal(true),
});

/** A response of `GET /v1/responses/{id}/input_items` (OpenAI's reference, list input items). */
export const inputItemList = z.strictObject({
  object: z.literal("list"),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
  has_more: z.boolean(),
  data: z.array(loose),
});
