import { encodeJson } from "@uag/untrusted/json/encode";
import { readMessages } from "../formats/messages/read.ts";
import type { CountCall, CountFormat, PromptCounter } from "../generation.ts";
import type { GeminiContext } from "./contents.ts";
import { geminiFailure } from "./errors.ts";
import { geminiHeaders } from "./headers.ts";
import { geminiBody } from "./request.ts";

/** Gemini's `countTokens` (ai.google.dev/api/tokens), by the format of the request that is counted. */
export const geminiCounters: Readonly<Record<Exclude<CountFormat, "responses">, PromptCounter>> = {
  messages: counter(({ fields }, context) => geminiBody(readMessages(fields), context)),
  generate_content: counter(async ({ fields }) => fields),
};

/** @param requestOf builds the `GenerateContentRequest` */
function counter(requestOf: (call: CountCall, context: GeminiContext) => Promise<object>): PromptCounter {
  return {
    async encode(call, upstream, signal) {
      const request = await requestOf(call, { call, upstream, signal });
      const model = `models/${upstream.model}`;
      return {
        path: `/v1beta/models/${encodeURIComponent(upstream.model)}:countTokens`,
        headers: [...geminiHeaders(upstream.provider), "x-client-request-id", call.requestId],
        body: await encodeJson({ generateContentRequest: { ...request, model } }),
      };
    },
    field: "totalTokens",
    failureOf: geminiFailure,
  };
}
