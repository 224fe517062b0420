import { chatRequest } from "@uag/contract/requests/chat";
import { messageRequest, tokenCountRequest } from "@uag/contract/requests/messages";
import { chatCompletion, chatCompletionChunk, message, messageEvent, tokenCount } from "@uag/contract/responses/chat";
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
  Messages: "Conversations in Anthropic's format, with any model, and token counts.",
};

/** Conversations, in two formats. */
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
