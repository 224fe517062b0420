import { chatCompletionChunk } from "@uag/contract/responses/chat";
import { Pace } from "@uag/runtime/pace";
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
const endedEarly = "The response ended early.";

/**
 * Assembles a streamed completion, and reports the number of characters so far.
 * @throws {ApiError} for an error in the stream, or a stream that ended early
 */
export async function readChatStream(
  response: Response,
  { progress, signal, exchange }: Pick<ToolCall, "progress" | "signal" | "exchange">,
): Promise<StreamedResponse> {
  const streamed: StreamedResponse = { id: "", model: "", text: "", finish_reason: null };
  let [held, reportedAt] = [0, 0];
  const pace = new Pace();
  for await (const text of eventsOf(response, signal)) {
    if (text === "[DONE]") return streamed;
    if (text !== "") add(streamed, chunk.parse(JSON.parse(text)), text, response);
    if (streamed.text.length > maxTextChars) throw broken(response, "The response is too long.");
    await exchange.hold(streamed.text.length - held);
    held = streamed.text.length;
    if (pace.isOver) await pace.rest();
    const now = performance.now();
    if (streamed.text === "" || now - reportedAt < reportEveryMs) continue;
    reportedAt = now;
    await progress?.(streamed.text.length, `${streamed.text.length} characters written`);
  }
  throw broken(response, endedEarly);
}

/** The texts of the events. @throws {ApiError} when the connection breaks */
async function* eventsOf(response: Response, signal: AbortSignal): AsyncGenerator<string, void, undefined> {
  const decoder = new SseDecoder();
  try {
    for await (const bytes of response.body ?? []) for (const { text } of decoder.push(Buffer.from(bytes))) yield text;
  } catch (error) {
    signal.throwIfAborted();
    throw broken(response, endedEarly, error);
  }
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

function broken({ headers }: Response, message: string, cause?: unknown): ApiError {
  return new ApiError(502, headers, JSON.stringify({ error: { message, code: "upstream_error" } }), { cause });
}
