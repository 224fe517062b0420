import { chatRequest, messagesOf } from "@uag/contract/requests/chat";
import { partFields } from "@uag/contract/requests/chat-parts";
import { maxParts } from "@uag/contract/requests/fields";
import { chatCompletion } from "@uag/contract/responses/chat";
import { z } from "zod";
import { readChatStream } from "./chat-stream.ts";
import { costOf, costUsd, modelField, optionalField, present, usage } from "./schemas.ts";
import { defineTool, type ToolCall } from "./tool.ts";

const part = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: partFields.text.shape.text }),
  z.object({
    type: z.literal("image_url"),
    image_url: z.object({
      url: partFields.image_url.shape.image_url.shape.url.describe("An https URL or a data URL."),
    }),
  }),
]);

const { model, messages, max_tokens, temperature, reasoning_effort } = chatRequest.shape;

const message = z.object({
  role: messages.element.shape.role.extract(["system", "user", "assistant"]),
  content: z.union([z.string(), z.array(part).min(1).max(maxParts)]),
});

const input = z.object({
  model: modelField(model),
  messages: messagesOf(message).describe("The conversation; the model responds to the last message."),
  max_tokens: optionalField(max_tokens).describe("Maximum output tokens, including reasoning."),
  temperature: optionalField(temperature),
  reasoning_effort: optionalField(reasoning_effort).describe("For reasoning models, such as low, medium, high."),
  json_schema: z
    .record(z.string(), z.unknown())
    .optional()
    .describe("A JSON Schema (an object) for the response; the text is then JSON."),
});

const output = z.object({
  id: z.string(),
  model: z.string().describe("The model that served the request."),
  text: z.string(),
  finish_reason: z.string().nullable().describe("`stop`, or `length` if max_tokens truncated the response."),
  usage: usage.optional(),
  cost_usd: costUsd,
});

const completion = chatCompletion
  .pick({ id: true, model: true, choices: true })
  .extend(output.pick({ usage: true }).shape);

export const chat = defineTool({
  name: "chat",
  title: "Chat with a model",
  description:
    "Sends a conversation to a text model and returns its response. Billed per input and output token. With a progress token, reports the response's length while it is generated.",
  operation: "chat.completions",
  cancellable: true,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input,
  output,
  async run(args, call) {
    const structured = await (call.progress === undefined ? responseOf(args, call) : streamOf(args, call));
    const text = call.exchange.splices.text(structured.text);
    return { structured: { ...structured, text }, content: [{ type: "text", text }] };
  },
});

type Input = z.infer<typeof input>;
type Output = z.infer<typeof output>;

function bodyOf({ json_schema, max_tokens, ...rest }: Input): object {
  const schema = json_schema && { type: "json_schema", json_schema: { name: "answer", schema: json_schema } };
  return present({ ...rest, max_completion_tokens: max_tokens, response_format: schema });
}

const path = "/v1/chat/completions";
/** More than any model writes. */
const maxResponseBytes = 8 * 1024 * 1024;

async function responseOf(args: Input, { exchange, idempotencyKey, signal }: ToolCall): Promise<Output> {
  const response = await exchange.call({ method: "POST", path, json: bodyOf(args), idempotencyKey, signal });
  const { id, model, choices, usage } = completion.parse(await exchange.readJson(response, maxResponseBytes));
  const [choice] = choices;
  return {
    id,
    model,
    text: choice?.message.content ?? "",
    finish_reason: choice?.finish_reason ?? null,
    ...present({ usage }),
    ...costOf(response.headers),
  };
}

/** A stream makes it possible to report progress. */
async function streamOf(args: Input, call: ToolCall): Promise<Output> {
  const { exchange, idempotencyKey, signal } = call;
  const json = { ...bodyOf(args), stream: true, stream_options: { include_usage: true } };
  const response = await exchange.call({ method: "POST", path, json, idempotencyKey, signal });
  return readChatStream(response, call);
}
