import { completionRequest } from "@uag/contract/requests/completions";
import { completion, completionChunk } from "@uag/contract/responses/completions";
import type { Operation } from "../operation.ts";

export const tags = {
  Completions:
    "Text completions in OpenAI's legacy format, with any text model: for tools that have no chat format. New clients use `POST /v1/chat/completions`.",
};

const body = { model: "gpt-4o-mini", prompt: "Say hello.", max_tokens: 64 };

/** Legacy completions. */
export const endpoints = {
  completions: {
    id: "createCompletion",
    tag: "Completions",
    summary: "Creates a text completion, in OpenAI's legacy format",
    request: { CompletionRequest: completionRequest },
    ok: { json: { Completion: completion }, events: { CompletionChunk: completionChunk } },
    examples: [
      { name: "text", summary: "A prompt", body },
      {
        name: "stream",
        summary: "The same, streamed, with its usage and cost",
        body: { ...body, stream: true, stream_options: { include_usage: true } },
      },
      {
        name: "logprobs",
        summary: "Log probabilities of the tokens, and of two alternatives to each",
        body: { ...body, logprobs: 2 },
      },
    ],
  },
} satisfies Readonly<Record<string, Operation>>;
