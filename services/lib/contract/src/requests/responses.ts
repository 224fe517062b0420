import { z } from "zod";
import { maxMessages, maxParts, maxTools, modelId } from "./fields.ts";

const roles = ["user", "assistant", "system", "developer"] as const;

/** Content parts by `type`; a URL or base64 is any text here: the service looks into it. */
export const responseParts = {
  input_text: z.looseObject({ text: z.string() }),
  input_image: z.looseObject({
    image_url: z.string({ error: "is required: stored files are not supported" }),
    detail: z.string().nullish(),
  }),
  input_file: z.looseObject({
    file_data: z.string().nullish(),
    file_url: z.string().nullish(),
    filename: z.string().nullish(),
  }),
  input_audio: z.looseObject({ input_audio: z.looseObject({ data: z.string(), format: z.string().nullish() }) }),
  output_text: z.looseObject({ text: z.string() }),
  refusal: z.looseObject({ refusal: z.string() }),
} as const satisfies Record<string, z.ZodType>;

const typed = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.looseObject({ type: z.literal(type), ...shape });

const documentedParts = z
  .array(z.union(Object.entries(responseParts).map(([type, { shape }]) => typed(type, shape))))
  .max(maxParts);

const documentedContent = z.union([z.string(), documentedParts]);

const callId = z.string().min(1);

/**
 * Items of `input` by `type`, with content of whichever kind the caller reads. An item without a
 * type is a message.
 */
export const inputItemsWith = <C extends z.ZodType>(content: C) =>
  ({
    message: z.looseObject({ role: z.enum(roles), content }),
    function_call: z.looseObject({
      call_id: callId,
      name: z.string().min(1),
      namespace: z.string().nullish(),
      arguments: z.string(),
    }),
    function_call_output: z.looseObject({ call_id: callId, output: content }),
    custom_tool_call: z.looseObject({ call_id: callId, name: z.string().min(1), input: z.string() }),
    custom_tool_call_output: z.looseObject({ call_id: callId, output: content }),
    reasoning: z.looseObject({
      summary: z
        .array(z.looseObject({ text: z.string() }))
        .max(maxParts)
        .nullish(),
      encrypted_content: z.string().nullish(),
    }),
  }) as const satisfies Record<string, z.ZodType>;

const { message, ...others } = inputItemsWith(documentedContent);
const documentedItems = z.union([
  message.extend({ type: z.literal("message").nullish() }),
  ...Object.entries(others).map(([type, { shape }]) => typed(type, shape)),
]);

/** The list of items, of whichever kind the caller reads. */
export const itemsOf = <I extends z.ZodType>(item: I) => z.array(item).min(1).max(maxMessages);

/** The parts of a list of content, of whichever kind the caller reads. */
export const partsOf = <P extends z.ZodType>(part: P) => z.array(part).max(maxParts);

/** Tools run by the client; one of another type needs no name. */
const named: ReadonlySet<string> = new Set(["function", "custom", "namespace"]);

const toolFields = {
  type: z
    .string()
    .describe(
      "function, custom or namespace; web_search, where the model has a price for it; and with models whose provider has the Responses API, its other tools that the client runs, such as apply_patch.",
    ),
  name: z.string().nullish(),
  description: z.string().nullish(),
  parameters: z.looseObject({}).nullish().describe("JSON Schema of the function's arguments."),
} as const;

function checkName({ type, name }: { type: string; name?: unknown }, context: z.RefinementCtx): void {
  if (named.has(type) && !name)
    context.addIssue({ code: "custom", path: ["name"], message: "is required", continue: false });
}

const tool = z
  .looseObject({
    ...toolFields,
    tools: z
      .array(z.looseObject(toolFields).superRefine(checkName))
      .max(maxTools)
      .nullish()
      .describe("For a namespace."),
  })
  .superRefine(checkName);

const flag = z.boolean().nullish();
const text = z.string().nullish();

/** Fields without effect on a reasoning model: they are not even checked there. */
export const responseSamplingFields = {
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
} as const;

/** The fields for a reasoning model, with input of whichever kind the caller reads. */
export const reasoningResponseWith = <I extends z.ZodType>(input: I) =>
  z.looseObject({
    model: modelId,
    input,
    instructions: text.describe("The system message, placed before the input."),
    stream: flag,
    max_output_tokens: z.int().min(1).nullish(),
    max_tool_calls: z
      .int()
      .min(1)
      .max(1_000)
      .nullish()
      .describe("Maximum calls of tools that the provider runs, all tools together."),
    tools: z.array(tool).max(maxTools).nullish(),
    tool_choice: z.union([z.string(), z.looseObject({})], { error: "must be text or an object" }).nullish(),
    parallel_tool_calls: flag,
    text: z
      .looseObject({
        format: z
          .looseObject({ type: z.string(), name: text, schema: z.looseObject({}).nullish() })
          .nullish()
          .describe("text, json_object, or json_schema with a name and a schema."),
      })
      .nullish(),
    reasoning: z.looseObject({ effort: text, summary: text }).nullish(),
    metadata: z.looseObject({}).nullish(),
    store: flag.describe(
      "Whether the response is stored, if the account has `store_responses`; default true. Otherwise it is ignored: nothing is stored, here or at the provider.",
    ),
    user: text,
    previous_response_id: text.describe(
      "The id of a stored response that this request continues: its conversation is placed before the input, and billed as input.",
    ),
    conversation: z
      .null({ error: "is not available. Use previous_response_id, or send the whole conversation as input" })
      .optional()
      .describe("Not available: use `previous_response_id`."),
    prompt: z.null({ error: "is not available: prompts are not stored" }).optional().describe("Not available."),
    background: flag.describe(
      "Makes the response in the background, for accounts with `store_responses`: the request returns at once, and `GET /v1/responses/{id}` shows its state. With `stream`, its events are sent, and can be read again with `GET /v1/responses/{id}?stream=true`. Not with `store: false`.",
    ),
  });

/** The body of `POST /v1/responses/input_tokens`: that of a response. */
export const inputTokensRequest = reasoningResponseWith(z.union([z.string(), itemsOf(documentedItems)]));

/** The body of `POST /v1/responses/{id}/cancel`, which may be omitted. */
export const cancelResponseRequest = z.object({});

/** The body of `POST /v1/responses` (OpenAI's reference, create a model response). */
export const responseRequest = inputTokensRequest.extend(responseSamplingFields);
