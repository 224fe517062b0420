import { encodeJson } from "@uag/untrusted/json/encode";
import { readMessages } from "../formats/messages/read.ts";
import type { PromptCounter } from "../generation.ts";
import { geminiFailure } from "./errors.ts";
import { geminiHeaders } from "./headers.ts";
import { geminiBody } from "./request.ts";

/** Gemini's `countTokens` (ai.google.dev/api/tokens). */
export const geminiCounter: PromptCounter = {
  async encode(call, upstream, signal) {
    const request = await geminiBody(readMessages(call.fields), { call, upstream, signal });
    const model = `models/${upstream.model}`;
    return {
      path: `/v1beta/models/${encodeURIComponent(upstream.model)}:countTokens`,
      headers: [...geminiHeaders(upstream.provider), "x-client-request-id", call.requestId],
      body: await encodeJson({ generateContentRequest: { model, ...request } }),
    };
  },
  field: "totalTokens",
  failureOf: geminiFailure,
};
