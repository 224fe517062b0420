import type { Wire } from "@uag/harness/odd-provider/case";
import { messageEvents, messageOf } from "./anthropic-wire.ts";

/** A stream as parsed by a client's SDK. */
export interface SeenStream {
  text: string;
  ended: boolean;
  error: boolean;
}

/** A client's format in front of a provider's protocol. */
export interface Dialect extends Wire {
  readonly name: string;
  readonly operation: string;
  readonly model: string;
  /** Maximum output tokens of its requests. */
  readonly maxTokens: number;
  body(prompt: string, stream: boolean): object;
  events(usage: unknown): string[];
  /** Takes one event of a client's stream, as the SDK of its format does. */
  take(seen: SeenStream, name: string, data: string): void;
  /** The text of a complete response to the client. */
  textOf(response: never): unknown;
}

export const text = "Hello there.";
const openAiUsage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const completion = { id: "c", object: "chat.completion", created: 1, model: "m" };
const chunk = (choices: object[], more: object = {}): string =>
  `data: ${JSON.stringify({ ...completion, object: "chat.completion.chunk", choices, ...more })}\n\n`;

const openAiWire = {
  usageName: "usage" as const,
  usage: openAiUsage,
  whole: (usage: unknown) =>
    JSON.stringify({
      ...completion,
      choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
      usage,
    }),
  events: (usage: unknown) => [
    chunk([{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }]),
    chunk([{ index: 0, delta: { content: "Hello " }, finish_reason: null }]),
    chunk([{ index: 0, delta: { content: "there." }, finish_reason: null }]),
    chunk([{ index: 0, delta: {}, finish_reason: "stop" }]),
    ...(usage === undefined ? [] : [chunk([], { usage })]),
    "data: [DONE]\n\n",
  ],
  error: (more: object) => JSON.stringify({ error: { message: "boom", type: "server_error", code: null }, ...more }),
};

const anthropicWire = {
  usageName: "usage" as const,
  usage: { input_tokens: 10, output_tokens: 5 },
  whole: (usage: unknown) => messageOf(text, usage),
  events: (usage: unknown) => messageEvents(["Hello ", "there."], usage),
  error: (more: object) => JSON.stringify({ type: "error", error: { type: "api_error", message: "boom" }, ...more }),
};

const geminiPart = (part: object, more: object = {}): object => ({
  responseId: "r",
  modelVersion: "m",
  candidates: [{ index: 0, content: { role: "model", parts: [part] }, ...more }],
});
const geminiEvent = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;

/** Gemini's reference, generate content. */
const geminiWire = {
  usageName: "usageMetadata" as const,
  usage: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  whole: (usageMetadata: unknown) =>
    JSON.stringify({ ...geminiPart({ text }, { finishReason: "STOP" }), usageMetadata }),
  events: (usageMetadata: unknown) => [
    geminiEvent(geminiPart({ text: "" })),
    geminiEvent(geminiPart({ text: "Hello " })),
    geminiEvent(geminiPart({ text: "there." })),
    geminiEvent({ ...geminiPart({ text: "" }, { finishReason: "STOP" }), usageMetadata }),
  ],
  error: (more: object) => JSON.stringify({ error: { code: 500, message: "boom", status: "INTERNAL" }, ...more }),
};

const chatClient = {
  operation: "chat.completions",
  maxTokens: 1_000,
  body: (prompt: string, stream: boolean) => ({ messages: [{ role: "user", content: prompt }], stream }),
  take(seen: SeenStream, _name: string, data: string) {
    if (data === "[DONE]") {
      seen.ended = true;
      return;
    }
    const { error, choices } = JSON.parse(data) as { error?: object; choices?: { delta: { content?: string } }[] };
    if (error !== undefined) seen.error = true;
    for (const { delta } of choices ?? []) seen.text += delta.content ?? "";
  },
  textOf: ({ choices }: { choices: { message: { content: string } }[] }) => choices[0]?.message.content,
};

const messagesClient = {
  operation: "messages",
  maxTokens: 100,
  body: (prompt: string, stream: boolean) => ({
    max_tokens: 100,
    messages: [{ role: "user", content: prompt }],
    stream,
  }),
  take(seen: SeenStream, name: string, data: string) {
    const event = JSON.parse(data) as { type: string; delta?: { text?: string } };
    if (name !== event.type) throw new Error(`event ${name} has the type ${event.type}`);
    if (name === "error") seen.error = true;
    if (name === "message_stop") seen.ended = true;
    if (name === "content_block_delta") seen.text += event.delta?.text ?? "";
  },
  textOf: ({ content }: { content: { text: string }[] }) => content[0]?.text,
};

const responsesClient = {
  operation: "responses",
  maxTokens: 1_000,
  body: (prompt: string, stream: boolean) => ({ input: prompt, stream }),
  take(seen: SeenStream, _name: string, data: string) {
    const event = JSON.parse(data) as { type: string; delta?: string };
    if (event.type === "error" || event.type === "response.failed") seen.error = true;
    if (event.type === "response.completed") seen.ended = true;
    if (event.type === "response.output_text.delta") seen.text += event.delta ?? "";
  },
  textOf: ({ output }: { output: { content: { text: string }[] }[] }) => output[0]?.content[0]?.text,
};

export const dialects: readonly Dialect[] = [
  { name: "chat of OpenAI's protocol", model: "plain", ...openAiWire, ...chatClient },
  { name: "messages of OpenAI's protocol", model: "plain", ...openAiWire, ...messagesClient },
  { name: "responses of OpenAI's protocol", model: "plain", ...openAiWire, ...responsesClient },
  { name: "chat of Anthropic's protocol", model: "claude", ...anthropicWire, ...chatClient },
  { name: "messages of Anthropic's protocol", model: "claude", ...anthropicWire, ...messagesClient },
  { name: "responses of Anthropic's protocol", model: "claude", ...anthropicWire, ...responsesClient },
  { name: "chat of Gemini's protocol", model: "gemini", ...geminiWire, ...chatClient },
  { name: "messages of Gemini's protocol", model: "gemini", ...geminiWire, ...messagesClient },
  { name: "responses of Gemini's protocol", model: "gemini", ...geminiWire, ...responsesClient },
];
