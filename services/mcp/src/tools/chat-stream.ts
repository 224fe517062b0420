import { chatCompletionChunk } from "@uag/contract/responses/chat";
import { SseDecoder } from "@uag/untrusted/sse/decoder";
import type { Response } from "undici";
import { z } from "zod";
import { ApiError } from "../gateway/api-error.ts";
import { usage } from "./schemas.ts";
import type { ToolCall } from "./tool.ts";

/** An event of the stream: a chunk, or the error that ends it. */
const chunk = chatCompletionChunk.partial().extend({ usage: usage.nullish(), error: z.unknown().optional() });

interface StreamedResponse {
  id: string;
  model: string;
  text: string;
  finish_reason: string | null;
  usage?: NonNullable<z.infer<typeof chunk>["usage"]>;
}

const reportEveryMs = 200;
/** More than any model writes. */
const maxTextChars = 8 * 1024 * 1024;

/**
 * Assembles a streamed completion, and reports the number of characters so far.
 * @throws {ApiError} for an error in the stream, or a stream that ended early
 */
export async function readChatStream(response: Response, progress: ToolCall["progress"]): Promise<StreamedResponse> {
  const streamed: StreamedResponse = { id: "", model: "", text: "", finish_reason: null };
  const decoder = new SseDecoder();
  let reportedAt = 0;
  let ended = false;
  for await (const bytes of response.body ?? []) {
    for (const { text } of decoder.push(Buffer.from(bytes))) {
      if (text === "[DONE]") ended = true;
      else if (text !== "") add(streamed, chunk.parse(JSON.parse(text)), text, response);
    }
    if (streamed.text.length > maxTextChars) throw broken(response, "The response is too long.");
    const now = performance.now();
    if (streamed.text === "" || now - reportedAt < reportEveryMs) continue;
    reportedAt = now;
    await progress?.(streamed.text.length, `${streamed.text.length} characters written`);
  }
  if (!ended) throw broken(response, "The response ended early.");
  return streamed;
}

function add(
  streamed: StreamedResponse,
  { id, model, choices, usage: used, error }: z.infer<typeof chunk>,
  text: string,
  response: Response,
): void {
  if (error !== undefined) throw new ApiError(502, response.headers, text);
  if (id) streamed.id = id;
  if (model) streamed.model = model;
  const [choice] = choices ?? [];
  streamed.text += choice?.delta.content ?? "";
  if (choice?.finish_reason) streamed.finish_reason = choice.finish_reason;
  if (used) streamed.usage = used;
}

function broken({ headers }: Response, message: string): ApiError {
  return new ApiError(502, headers, JSON.stringify({ error: { message, code: "upstream_error" } }));
}
