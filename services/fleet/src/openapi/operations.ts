import { chatRequest } from "@uag/contract/requests/chat.ts";
import { embeddingRequest } from "@uag/contract/requests/embeddings.ts";
import { imageEditRequest, imageRequests } from "@uag/contract/requests/images.ts";
import { messageRequest, tokenCountRequest } from "@uag/contract/requests/messages.ts";
import { modelListQuery, videoListQuery, voiceListQuery } from "@uag/contract/requests/queries.ts";
import { responseRequest } from "@uag/contract/requests/responses.ts";
import { speechRequest } from "@uag/contract/requests/speech.ts";
import { billingUsageQuery } from "@uag/contract/requests/usage.ts";
import { videoCreateQuery, videoRequests } from "@uag/contract/requests/videos.ts";
import { subscription, usage } from "@uag/contract/responses/billing.ts";
import {
  chatCompletion,
  chatCompletionChunk,
  message,
  messageEvent,
  model,
  modelList,
  tokenCount,
} from "@uag/contract/responses/chat.ts";
import {
  alphaImageResult,
  embeddingResult,
  imageEvent,
  imageResult,
  videoTask,
  videoTaskList,
  voiceList,
} from "@uag/contract/responses/media.ts";
import { response, responseEvent } from "@uag/contract/responses/responses.ts";
import { z } from "zod";
import type { Tag } from "./tags.ts";

/** Schemas by their names in the document. More than one: any of them. */
export type Named = Readonly<Record<string, z.ZodType>>;

export interface Responses {
  readonly json?: Named;
  /** Schemas of the events' data. */
  readonly events?: Named;
  readonly audio?: boolean;
  /** Rows, as JSON lines or CSV. */
  readonly rows?: boolean;
}

/** Documentation of an operation beyond its row in the table of routes. */
export interface Operation {
  /** `operationId`: its name in clients generated from the document. */
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly request?: Named;
  readonly ok: Responses;
  readonly accepted?: Responses;
  /** The success status, if not 200. */
  readonly status?: 201 | 202;
  /** Requires an admin token instead of a key. */
  readonly admin?: boolean;
  /** The body may be omitted. */
  readonly bodyIsOptional?: boolean;
  /** May fail because of insufficient funds. */
  readonly spends?: boolean;
  readonly query?: Readonly<Record<string, z.ZodType>>;
  /** Calls a provider at the account's expense. */
  readonly billed?: boolean;
  /** Calls a provider. */
  readonly callsProvider?: boolean;
  /** Waits if the client asks for it. */
  readonly waits?: boolean;
  /** Anthropic's headers are passed on to the provider. */
  readonly native?: boolean;
  /** Some of its responses use DashScope's format. */
  readonly flatErrors?: boolean;
}

/** Bodies by family, as `AlphaImageRequest`. */
const named = (schemas: Named, suffix: string): Named =>
  Object.fromEntries(
    Object.entries(schemas).map(([family, schema]) => [
      `${family.charAt(0).toUpperCase()}${family.slice(1)}${suffix}`,
      schema,
    ]),
  );

const task = { VideoTask: videoTask } as const;

const generating: Readonly<Record<string, Operation>> = {
  "chat.completions": {
    id: "createChatCompletion",
    tag: "Chat",
    summary: "Answers a conversation",
    request: { ChatCompletionRequest: chatRequest },
    ok: { json: { ChatCompletion: chatCompletion }, events: { ChatCompletionChunk: chatCompletionChunk } },
    billed: true,
  },
  "responses.create": {
    id: "createResponse",
    tag: "Responses",
    summary: "Answers a conversation, in the Responses format; nothing is stored",
    request: { ResponseRequest: responseRequest },
    ok: { json: { Response: response }, events: { ResponseEvent: responseEvent } },
    billed: true,
  },
  "messages.create": {
    id: "createMessage",
    tag: "Messages",
    summary: "Answers a conversation, in Anthropic's format",
    request: { MessageRequest: messageRequest },
    ok: { json: { Message: message }, events: { MessageEvent: messageEvent } },
    query: { beta: z.string().describe("Goes on to the provider's own format.") },
    billed: true,
    native: true,
  },
  "messages.count_tokens": {
    id: "countMessageTokens",
    tag: "Messages",
    summary: "Counts the tokens of a conversation; free",
    request: { TokenCountRequest: tokenCountRequest },
    ok: { json: { TokenCount: tokenCount } },
    query: { beta: z.string().describe("Goes on to the provider's own format.") },
    callsProvider: true,
    native: true,
  },
  embeddings: {
    id: "createEmbedding",
    tag: "Embeddings",
    summary: "Turns texts into vectors",
    request: { EmbeddingRequest: embeddingRequest },
    ok: { json: { EmbeddingResult: embeddingResult } },
    billed: true,
  },
  "audio.speech": {
    id: "createSpeech",
    tag: "Audio",
    summary: "Speaks a text",
    request: { SpeechRequest: speechRequest },
    ok: { audio: true },
    billed: true,
  },
  "images.generations": {
    id: "createImage",
    tag: "Images",
    summary: "Makes images; the body's shape depends on the model",
    request: named(imageRequests, "ImageRequest"),
    ok: { json: { ImageResult: imageResult, AlphaImageResult: alphaImageResult }, events: { ImageEvent: imageEvent } },
    billed: true,
    flatErrors: true,
  },
  "images.edits": {
    id: "editImage",
    tag: "Images",
    summary: "Edits images",
    request: { ImageEditForm: imageEditRequest },
    ok: { json: { ImageResult: imageResult }, events: { ImageEvent: imageEvent } },
    billed: true,
  },
  "videos.create": {
    id: "createVideo",
    tag: "Videos",
    summary: "Starts a video task; the body's shape depends on the model",
    request: named(videoRequests, "VideoRequest"),
    ok: { json: task },
    accepted: { json: task },
    query: videoCreateQuery.shape,
    billed: true,
    waits: true,
  },
};

const reading: Readonly<Record<string, Operation>> = {
  "audio.voices": {
    id: "listVoices",
    tag: "Audio",
    summary: "Lists the voices",
    ok: { json: { VoiceList: voiceList } },
    query: voiceListQuery.shape,
  },
  "videos.get": { id: "getVideo", tag: "Videos", summary: "Shows a video task", ok: { json: task } },
  "videos.list": {
    id: "listVideos",
    tag: "Videos",
    summary: "Lists the account's video tasks, newest first",
    ok: { json: { VideoTaskList: videoTaskList } },
    query: videoListQuery.shape,
  },
  "videos.cancel": {
    id: "cancelVideo",
    tag: "Videos",
    summary: "Cancels a video task that the provider has not begun",
    ok: { json: task },
  },
  "models.list": {
    id: "listModels",
    tag: "Models",
    summary: "Lists the models that the key may use",
    ok: { json: { ModelList: modelList } },
    query: modelListQuery.shape,
  },
  "models.get": { id: "getModel", tag: "Models", summary: "Shows a model", ok: { json: { Model: model } } },
  subscription: {
    id: "getBillingSubscription",
    tag: "Billing",
    summary: "Shows what may be spent",
    ok: { json: { BillingSubscription: subscription } },
  },
  usage: {
    id: "getBillingUsage",
    tag: "Billing",
    summary: "Shows what was spent, by day and model",
    ok: { json: { BillingUsage: usage } },
    query: billingUsageQuery.shape,
  },
};

/** By name in the table of routes. */
export const operations: Readonly<Record<string, Operation>> = { ...generating, ...reading };
