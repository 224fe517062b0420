import { queryOptions } from "@tanstack/react-query";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { ApiError, errorOf } from "../../api/error.ts";
import { call, send } from "../../api/http.ts";
import type { Receipt } from "../../api/types.ts";

export interface GatewayCall {
  /** Of the public API, from `/v1` on. */
  readonly path: string;
  readonly body: object | FormData;
  readonly account: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

const maxRetries = 2;
const retryAfterMs = 1_500;

/**
 * Calls the public API as the signed-in user. Like SDKs, retries a 503, because a request rejected
 * with 503 has not run and costs nothing.
 */
export async function ask({ path, body, account, signal }: GatewayCall): Promise<Response> {
  for (let retries = 0; ; retries++) {
    try {
      return await send(`/gateway${path}`, { method: "POST", body, query: { account }, signal });
    } catch (error) {
      const mayRetry = error instanceof ApiError && error.status === 503 && retries < maxRetries;
      if (!mayRetry) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, retryAfterMs));
  }
}

/**
 * The id of a response's receipt: that of the request to the public API, which the console made.
 */
export const receiptIdOf = ({ headers }: Response): string | null => headers.get("x-gateway-request-id");

/** A piece of a call of a tool, which is put together by its index. */
export interface ToolCallPiece {
  readonly index: number;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

interface Delta {
  readonly content?: string | null;
  readonly tool_calls?: readonly ToolCallPiece[] | null;
}

/** A part of one candidate. */
export interface ChunkChoice {
  readonly index?: number;
  readonly delta?: Delta;
}

/** One chunk of a streamed response in OpenAI's format; only the shown fields. */
interface Chunk {
  readonly choices?: readonly ChunkChoice[];
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | null;
  readonly error?: { readonly message: string; readonly code?: string };
}

/**
 * A streamed response, chunk by chunk.
 * @throws {ApiError} for a failure during the stream, which arrives as a chunk
 */
export async function* chunksOf(response: Response): AsyncGenerator<Chunk> {
  if (response.body === null) throw await errorOf(response);
  const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  const reader = events.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done || value.data === "[DONE]") return;
    const chunk = JSON.parse(value.data) as Chunk;
    if (chunk.error !== undefined)
      throw new ApiError(
        response.status,
        { message: chunk.error.message, code: chunk.error.code ?? "stream", param: null },
        response.headers.get("x-request-id"),
      );
    yield chunk;
  }
}

const maxTries = 8;

/** The bill of a request that has just ended: it is there within seconds. */
export const billQuery = (requestId: string | null) =>
  queryOptions({
    queryKey: ["usage", "receipt", requestId],
    queryFn: () => call<Receipt>(`/admin/v1/usage/events/${encodeURIComponent(requestId ?? "")}`),
    enabled: requestId !== null,
    retry: (failures, error) => error instanceof ApiError && error.status === 404 && failures < maxTries,
    retryDelay: 800,
    staleTime: Number.POSITIVE_INFINITY,
  });
