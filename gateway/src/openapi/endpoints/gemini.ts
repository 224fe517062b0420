import { batchEmbedContentsRequest, embedContentRequest } from "@uag/contract/requests/embed-content";
import {
  countTokensRequest,
  geminiModelListQuery,
  generateContentQuery,
  generateContentRequest,
} from "@uag/contract/requests/generate-content";
import { batchEmbedContentsResponse, embedContentResponse } from "@uag/contract/responses/embed-content";
import {
  geminiModel,
  geminiModelList,
  geminiTokenCount,
  generateContentResponse,
} from "@uag/contract/responses/generate-content";
import { square } from "../examples/square.ts";
import type { Operation } from "../operation.ts";

const path = { model: "gemini-2.5-flash" };
const user = (...parts: object[]) => ({ contents: [{ role: "user", parts }] });
const hello = user({ text: "Hello!" });
const weather = {
  name: "get_weather",
  parametersJsonSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const embeddingPath = { model: "gemini-embedding-001" };
const textOf = (text: string) => ({ content: { parts: [{ text }] } });
const image = { inlineData: { mimeType: "image/png", data: square } };

export const tags = {
  Gemini:
    "Conversations and embeddings in the format of Google's Gemini API, with the models of every provider. Paths that begin with `/v1/models/` are the same. The key may be sent as `x-goog-api-key`.",
};

/** Conversations and embeddings in Gemini's format. */
export const endpoints = {
  generate_content: {
    id: "generateContent",
    tag: "Gemini",
    summary: "Generates content, in Gemini's format",
    request: { GenerateContentRequest: generateContentRequest },
    ok: { json: { GenerateContentResponse: generateContentResponse } },
    examples: [
      { name: "text", summary: "A question", path, body: hello },
      {
        name: "tools",
        summary: "A required function call",
        path: { model: "claude-sonnet-4-6" },
        body: {
          ...user({ text: 'call get_weather {"city":"Oslo"}' }),
          tools: [{ functionDeclarations: [weather] }],
          toolConfig: { functionCallingConfig: { mode: "ANY" } },
        },
      },
      { name: "image", summary: "An image", path, body: user({ text: "What is this?" }, image) },
    ],
  },
  stream_generate_content: {
    id: "streamGenerateContent",
    tag: "Gemini",
    summary: "Generates content as a stream, in Gemini's format",
    request: { GenerateContentRequest: generateContentRequest },
    ok: {
      json: { GenerateContentResponses: generateContentResponse.array() },
      events: { GenerateContentResponse: generateContentResponse },
    },
    query: generateContentQuery.shape,
    examples: [
      { name: "events", summary: "As server-sent events", path, query: { alt: "sse" }, body: hello },
      { name: "array", summary: "As one JSON array", path: { model: "gpt-4o-mini" }, body: hello },
    ],
  },
  "generate_content.count_tokens": {
    id: "countContentTokens",
    tag: "Gemini",
    summary: "Counts a request's tokens, in Gemini's format; free, and an estimate for other providers' models",
    request: { CountTokensRequest: countTokensRequest },
    ok: { json: { GeminiTokenCount: geminiTokenCount } },
    callsProvider: true,
    examples: [{ name: "text", summary: "A question", path, body: hello }],
  },
  embed_content: {
    id: "embedContent",
    tag: "Gemini",
    summary: "Creates an embedding, in Gemini's format",
    request: { EmbedContentRequest: embedContentRequest },
    ok: { json: { EmbedContentResponse: embedContentResponse } },
    examples: [
      {
        name: "text",
        summary: "A text",
        path: embeddingPath,
        body: { ...textOf("A boat on a lake"), outputDimensionality: 8 },
      },
    ],
  },
  batch_embed_contents: {
    id: "batchEmbedContents",
    tag: "Gemini",
    summary: "Creates embeddings, in Gemini's format",
    request: { BatchEmbedContentsRequest: batchEmbedContentsRequest },
    ok: { json: { BatchEmbedContentsResponse: batchEmbedContentsResponse } },
    examples: [
      {
        name: "documents",
        summary: "Two documents with titles, with another provider's model",
        path: { model: "text-embedding-3-small" },
        body: {
          requests: [
            ["Lakes", "A boat on a lake"],
            ["Seas", "A ship at sea"],
          ].map(([title = "", text = ""]) => ({
            ...textOf(text),
            taskType: "RETRIEVAL_DOCUMENT",
            title,
            outputDimensionality: 8,
          })),
        },
      },
    ],
  },
  "gemini_models.list": {
    id: "listGeminiModels",
    tag: "Gemini",
    summary: "Lists the key's models that generate text or embeddings, in Gemini's format",
    ok: { json: { GeminiModelList: geminiModelList } },
    query: geminiModelListQuery.shape,
    examples: [{ name: "page", summary: "A page of two models", query: { pageSize: 2 } }],
  },
  "gemini_models.get": {
    id: "getGeminiModel",
    tag: "Gemini",
    summary: "Shows such a model, in Gemini's format",
    ok: { json: { GeminiModel: geminiModel } },
    examples: [{ name: "model", summary: "One model", path }],
  },
} satisfies Readonly<Record<string, Operation>>;
