import { chatRequest } from "@uag/contract/requests/chat";
import { messageRequest, tokenCountRequest } from "@uag/contract/requests/messages";
import { inputItemsQuery, responseQuery } from "@uag/contract/requests/queries";
import { cancelResponseRequest, inputTokensRequest, responseRequest } from "@uag/contract/requests/responses";
import { chatCompletion, chatCompletionChunk, message, messageEvent, tokenCount } from "@uag/contract/responses/chat";
import {
  deletedResponse,
  inputItemList,
  inputTokens,
  response,
  responseEvent,
} from "@uag/contract/responses/responses";
import { z } from "zod";
import { square } from "../examples/square.ts";
import type { Operation } from "../operation.ts";

const userMessage = (...content: object[]) => [{ role: "user", content }];
const text = (words: string) => ({ type: "text", text: words });
const silence = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAwF0AAIC7AAACABAAZGF0YQIAAAAAAA==";
/** The beginning of a video file, which identifies its type. */
const clip = "data:video/mp4;base64,AAAAIGZ0eXBpc29tAAACAGlzb21pc28yYXZjMW1wNDE=";
const hello = [{ role: "user", content: "Hello!" }];
const weather = {
  type: "function",
  function: {
    name: "get_weather",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};
const person = { type: "object", properties: { name: { type: "string" }, age: { type: "integer" } } };

const body = { model: "claude-sonnet-4-6", max_tokens: 256, messages: hello };

export const tags = {
  Chat: "Conversations in OpenAI's format, with any model. Input: text, images, audio and video. Output: text, tool calls and structured output, complete or streamed.",
  Responses:
    "Conversations in the format of OpenAI's Responses API, with any model. Where the model's provider has this API (OpenAI, xAI), request and response are passed on as sent, so that every field has the provider's effect; otherwise they are translated. An account with `store_responses` stores its responses, encrypted, for 30 days after they were created or last continued: `previous_response_id` then continues one with any model, and its conversation is billed as input. Nothing is stored at providers, and nothing at all for other accounts: they send the complete conversation.",
  Messages: "Conversations in Anthropic's format, with any model, and token counts.",
};

/** Conversations, in three formats. */
export const endpoints = {
  "chat.completions": {
    id: "createChatCompletion",
    tag: "Chat",
    summary: "Creates a chat completion",
    request: { ChatCompletionRequest: chatRequest },
    ok: { json: { ChatCompletion: chatCompletion }, events: { ChatCompletionChunk: chatCompletionChunk } },
    examples: [
      { name: "text", summary: "A question", body: { model: "gpt-4o-mini", messages: hello } },
      {
        name: "stream",
        summary: "The same, streamed",
        body: { model: "gpt-4o-mini", messages: hello, stream: true },
      },
      {
        name: "tools",
        summary: "A required tool call, by name",
        body: {
          model: "claude-sonnet-4-6",
          messages: [{ role: "user", content: 'call get_weather {"city":"Oslo"}' }],
          tools: [weather],
          tool_choice: "get_weather",
        },
      },
      {
        name: "json_schema",
        summary: "JSON output by a schema",
        body: {
          model: "gpt-4o-mini",
          messages: [{ role: "user", content: "A person in a story" }],
          response_format: { type: "json_schema", json_schema: { name: "person", schema: person } },
        },
      },
      {
        name: "image_url",
        summary: "An image, by URL or data URL",
        body: {
          model: "gpt-4o-mini",
          messages: userMessage(text("What is this?"), {
            type: "image_url",
            image_url: { url: `data:image/png;base64,${square}` },
          }),
        },
      },
      {
        name: "video_url",
        summary: "A video, by URL or data URL, for Gemini, Qwen vision and Omni models",
        body: {
          model: "gemini-2.5-flash",
          messages: userMessage(text("Summarise this video."), { type: "video_url", video_url: { url: clip } }),
        },
      },
      {
        name: "input_audio",
        summary: "Audio as base64, for Gemini, Omni and GPT audio models",
        body: {
          model: "gemini-2.5-flash",
          messages: userMessage(text("Transcribe the audio."), {
            type: "input_audio",
            input_audio: { data: silence, format: "wav" },
          }),
        },
      },
      {
        name: "audio_url",
        summary: "Audio by URL or data URL, for Gemini and Omni models",
        body: {
          model: "qwen3-omni-flash",
          messages: userMessage(text("Who is speaking?"), {
            type: "audio_url",
            audio_url: { url: `data:audio/wav;base64,${silence}` },
          }),
        },
      },
    ],
  },
  responses: {
    id: "createResponse",
    tag: "Responses",
    summary: "Creates a response, in the Responses format",
    request: { ResponseRequest: responseRequest },
    ok: { json: { Response: response }, events: { ResponseEvent: responseEvent } },
    errors: ["previous_response_not_found"],
    examples: [
      { name: "text", summary: "A question", body: { model: "gpt-4o-mini", input: "Hello!" } },
      {
        name: "stream",
        summary: "The same, streamed",
        body: { model: "gpt-4o-mini", input: "Hello!", stream: true },
      },
      {
        name: "tools",
        summary: "A required tool call, by name",
        body: {
          model: "claude-sonnet-4-6",
          input: [{ role: "user", content: 'call get_weather {"city":"Oslo"}' }],
          tools: [{ type: "function", ...weather.function }],
          tool_choice: { type: "function", name: "get_weather" },
        },
      },
      {
        name: "reasoning",
        summary: "Reasoning with a summary, and encrypted for the next request",
        body: {
          model: "gpt-5-mini",
          input: "Which is larger, 9.9 or 9.11?",
          reasoning: { effort: "low", summary: "auto" },
          text: { verbosity: "low" },
          include: ["reasoning.encrypted_content"],
        },
      },
      {
        name: "web_search",
        summary: "A web search by the provider, for models with a price for it",
        body: {
          model: "gpt-5-mini",
          input: "search 1 time\nWhat happened today?",
          tools: [{ type: "web_search" }],
          max_tool_calls: 2,
          max_output_tokens: 2000,
        },
      },
    ],
  },
  "responses.input_tokens": {
    id: "countResponseInputTokens",
    tag: "Responses",
    summary: "Counts the input tokens of a response; free",
    request: { InputTokensRequest: inputTokensRequest },
    ok: { json: { InputTokens: inputTokens } },
    callsProvider: true,
    examples: [{ name: "text", summary: "A question", body: { model: "gpt-4o-mini", input: "Hello!" } }],
  },
  "responses.get": {
    id: "getResponse",
    tag: "Responses",
    summary: "Shows a stored response as its client received it, or the state or events of one in the background",
    ok: { json: { Response: response }, events: { ResponseEvent: responseEvent } },
    query: responseQuery.shape,
  },
  "responses.delete": {
    id: "deleteResponse",
    tag: "Responses",
    summary: "Deletes a stored response; responses that continue it cannot be continued any more",
    ok: { json: { DeletedResponse: deletedResponse } },
  },
  "responses.cancel": {
    id: "cancelResponse",
    tag: "Responses",
    summary: "Cancels a response in the background; one that has ended is returned as it is",
    bodyIsOptional: true,
    request: { CancelResponseRequest: cancelResponseRequest },
    ok: { json: { Response: response } },
  },
  "responses.input_items": {
    id: "listInputItems",
    tag: "Responses",
    summary: "Lists the conversation that a stored response responds to",
    ok: { json: { InputItemList: inputItemList } },
    query: inputItemsQuery.shape,
  },
  messages: {
    id: "createMessage",
    tag: "Messages",
    summary: "Creates a message, in Anthropic's format",
    request: { MessageRequest: messageRequest },
    ok: { json: { Message: message }, events: { MessageEvent: messageEvent } },
    query: { beta: z.string().describe("Passed to the provider's format.") },
    native: true,
    examples: [
      { name: "text", summary: "A question", body },
      { name: "stream", summary: "The same, streamed", body: { ...body, stream: true } },
    ],
  },
  "messages.count_tokens": {
    id: "countMessageTokens",
    tag: "Messages",
    summary: "Counts a conversation's tokens; free",
    request: { TokenCountRequest: tokenCountRequest },
    ok: { json: { TokenCount: tokenCount } },
    query: { beta: z.string().describe("Passed to the provider's format.") },
    callsProvider: true,
    native: true,
    examples: [{ name: "text", summary: "A question", body: { model: "claude-sonnet-4-6", messages: hello } }],
  },
} satisfies Readonly<Record<string, Operation>>;
