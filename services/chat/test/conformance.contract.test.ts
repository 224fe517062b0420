import type { ServerResponse } from "node:http";
import { conformance } from "@uag/harness/conformance";
import { catalogOf, chat, chunk, completion, done, sendJson, usage, usageChunk } from "./fixtures.ts";
import { startChat } from "./support.ts";

const catalog = (url: string): string => `${catalogOf(url)}
  - { <<: *plain, id: claude, operations: [messages, chat.completions], upstreams: [{ provider: claude }] }
  - { <<: *plain, id: native, operations: [responses], upstreams: [{ provider: native }] }
  - { <<: *plain, id: gemini, operations: [chat.completions], upstreams: [{ provider: google }] }
`;
const anthropic = (url: string): string => `
  claude: { protocol: anthropic, base_url: "${url}", api_key: sk-upstream-secret-claude }
  native: { protocol: openai, base_url: "${url}/v1", api_key: sk-upstream-secret-native, responses_api: true }
  google: { protocol: gemini, base_url: "${url}", api_key: sk-upstream-secret-google }
models:`;
const messages = { model: "claude", max_tokens: 100, messages: [{ role: "user", content: "Hi" }] };
const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude",
  content: [{ type: "text", text: "Hello." }],
  stop_reason: "end_turn",
  usage: { input_tokens: 10, output_tokens: 5 },
};

const event = (type: string, more: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
const messageStart =
  event("message_start", { message: { ...message, content: [], stop_reason: null } }) +
  event("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
const textDelta = (text: string): string =>
  event("content_block_delta", { index: 0, delta: { type: "text_delta", text } });
const messageEnd =
  event("content_block_stop", { index: 0 }) +
  event("message_delta", { delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } }) +
  event("message_stop", {});

const ask = { contents: [{ role: "user", parts: [{ text: "Hi" }] }], generationConfig: { maxOutputTokens: 100 } };
const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
const generated = (text: string, more: object = {}) => ({
  candidates: [{ content: { parts: [{ text }], role: "model" }, index: 0, ...more }],
  usageMetadata,
  responseId: "r1",
});
const ended = generated("Hello.", { finishReason: "STOP" });
const generatedEvent = (response: object): string => `data: ${JSON.stringify(response)}\r\n\r\n`;
const geminiError = { error: { code: 500, message: "boom", status: "INTERNAL" }, usageMetadata };

const openAiError = { error: { message: "boom", type: "server_error" }, usage };
const anthropicError = {
  type: "error",
  error: { type: "api_error", message: "boom" },
  usage: { input_tokens: 10, output_tokens: 5 },
};

const inputUsage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
const responseObject = (more: object = {}) => ({
  id: "resp_1",
  object: "response",
  status: "completed",
  error: null,
  output: [{ type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: "Hello." }] }],
  usage: inputUsage,
  ...more,
});
const begunResponse = event("response.created", { response: responseObject({ status: "in_progress", output: [] }) });
const responseDelta = (delta: string): string => event("response.output_text.delta", { item_id: "msg_1", delta });
const nativeError = { error: { message: "boom", type: "server_error" }, usage: inputUsage };

/** An upstream of OpenAI's protocol that streams. */
const chatStream = {
  respond(response: ServerResponse): void {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(chunk({ content: "Hello." }) + usageChunk + done);
  },
  stream: {
    begin: (response: ServerResponse) => void response.writeHead(200, { "content-type": "text/event-stream" }),
    piece: chunk({ content: "x".repeat(16_000) }),
  },
};

conformance({
  file: import.meta.filename,
  start: (url, parts) => startChat({ catalog: catalog(url).replace("\nmodels:", anthropic(url)), ...parts }),
  cases: [
    {
      name: "a chat completion",
      operation: "chat.completions",
      body: chat(),
      errorWithUsage: openAiError,
      respond: (response) => sendJson(response, 200, completion),
    },
    {
      name: "a streamed chat completion",
      operation: "chat.completions",
      body: chat({ stream: true }),
      errorWithUsage: openAiError,
      ...chatStream,
    },
    {
      name: "a legacy completion",
      operation: "completions",
      body: { model: "plain", prompt: "Hi" },
      errorWithUsage: openAiError,
      respond: (response) => sendJson(response, 200, completion),
    },
    {
      name: "a streamed legacy completion",
      operation: "completions",
      body: { model: "plain", prompt: "Hi", stream: true },
      errorWithUsage: openAiError,
      ...chatStream,
    },
    {
      name: "a response",
      operation: "responses",
      body: { model: "plain", input: "Hi" },
      errorWithUsage: openAiError,
      respond: (response) => sendJson(response, 200, completion),
    },
    {
      name: "a streamed response",
      operation: "responses",
      body: { model: "plain", input: "Hi", stream: true },
      errorWithUsage: openAiError,
      ...chatStream,
    },
    {
      name: "a response of a provider with the Responses API",
      operation: "responses",
      body: { model: "native", input: "Hi" },
      errorWithUsage: nativeError,
      respond: (response) => sendJson(response, 200, responseObject()),
    },
    {
      name: "a streamed response of a provider with the Responses API",
      operation: "responses",
      body: { model: "native", input: "Hi", stream: true },
      errorWithUsage: nativeError,
      respond(response) {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end(
          begunResponse + responseDelta("Hello.") + event("response.completed", { response: responseObject() }),
        );
      },
      stream: {
        begin(response) {
          response.writeHead(200, { "content-type": "text/event-stream" });
          response.write(begunResponse);
        },
        piece: responseDelta("x".repeat(16_000)),
      },
    },
    {
      name: "a message in Anthropic's format",
      operation: "messages",
      body: messages,
      errorWithUsage: anthropicError,
      headers: ["content-type", "application/json", "anthropic-version", "2023-06-01"],
      respond: (response) => sendJson(response, 200, message),
    },
    {
      name: "a streamed message in Anthropic's format",
      operation: "messages",
      body: { ...messages, stream: true },
      errorWithUsage: anthropicError,
      headers: ["content-type", "application/json", "anthropic-version", "2023-06-01"],
      respond(response) {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end(messageStart + textDelta("Hello.") + messageEnd);
      },
      stream: {
        begin(response) {
          response.writeHead(200, { "content-type": "text/event-stream" });
          response.write(messageStart);
        },
        piece: textDelta("x".repeat(16_000)),
      },
    },
    {
      name: "a response in Gemini's format",
      operation: "generate_content",
      target: "/v1beta/models/gemini:generateContent",
      body: ask,
      errorWithUsage: geminiError,
      respond: (response) => sendJson(response, 200, ended),
    },
    ...["?alt=sse", ""].map((query) => ({
      name: `a streamed response in Gemini's format, as ${query === "" ? "an array" : "events"}`,
      operation: "stream_generate_content",
      target: `/v1beta/models/gemini:streamGenerateContent${query}`,
      body: ask,
      errorWithUsage: geminiError,
      respond(response: ServerResponse) {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end(generatedEvent(generated("Hello")) + generatedEvent(ended));
      },
      stream: {
        begin: (response: ServerResponse) => void response.writeHead(200, { "content-type": "text/event-stream" }),
        piece: generatedEvent(generated("x".repeat(16_000))),
      },
    })),
    {
      name: "a response in Gemini's format by another provider's model",
      operation: "generate_content",
      target: "/v1/models/claude:generateContent",
      body: ask,
      errorWithUsage: anthropicError,
      respond: (response) => sendJson(response, 200, message),
    },
    {
      name: "a streamed response in Gemini's format by another provider's model",
      operation: "stream_generate_content",
      target: "/v1/models/plain:streamGenerateContent?alt=sse",
      body: ask,
      errorWithUsage: openAiError,
      ...chatStream,
    },
  ],
});
