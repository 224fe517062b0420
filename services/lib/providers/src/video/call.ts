import type { Timeouts, Upstream } from "@uag/catalog/types";
import { bearerOf } from "../bearer.ts";
import { fieldsOf, parsedJson } from "../conversation/fields.ts";
import { UpstreamFailure, unusableResponse } from "../failure.ts";
import type { HttpResponse } from "../http/call.ts";
import type { HttpPools } from "../http/pools.ts";
import { sendAuthorized } from "../identity/authorize.ts";
import { bodyKind, withoutMark } from "../reading/body-kind.ts";
import { boundedResponse } from "../response-limits.ts";
import type { VideoAdapter, VideoCall, VideoResponse } from "./types.ts";

const maxResponseBytes = 8 * 1024 * 1024;

export interface VideoCallOptions {
  readonly pools: HttpPools;
  readonly adapter: VideoAdapter;
  readonly upstream: Upstream;
  readonly call: VideoCall;
  readonly requestId: string;
  /** For the whole call, milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Makes one call about a video task.
 * @throws {UpstreamFailure} also for a status of 300 or more
 */
export async function callVideo(options: VideoCallOptions): Promise<VideoResponse> {
  const { call, upstream, timeoutMs } = options;
  const { provider } = upstream;
  const timeouts: Timeouts = {
    connectMs: Math.min(provider.timeouts.connectMs, timeoutMs),
    firstByteMs: timeoutMs,
    betweenChunksMs: timeoutMs,
    totalMs: timeoutMs,
  };
  const response = await sendAuthorized(options.pools, provider, {
    origin: provider.origin,
    path: provider.basePath + call.path,
    method: call.method,
    headers: headersOf(options),
    body: call.body === undefined ? undefined : Buffer.from(JSON.stringify(call.body)),
    timeouts,
    transport: provider.transport,
    signal: options.signal,
  });
  const bytes = await bodyOf(response);
  if (response.status >= 300) {
    const bad = { status: response.status, header: (name: string) => response.header(name), body: bytes };
    throw options.adapter.failureOf(bad, upstream);
  }
  if (bodyKind(bytes) === "json" && jsonIn(bytes) === undefined) throw unusableResponse("its JSON is incomplete");
  return { status: response.status, body: fieldsOf(jsonIn(bytes)), bytes: bytes.length };
}

const jsonIn = (body: Buffer): unknown => parsedJson(withoutMark(body).toString("utf8"));

/**
 * The body, also when the connection broke after all of it: a task whose id was received must not
 * be lost.
 */
async function bodyOf(response: HttpResponse): Promise<Buffer> {
  try {
    return await boundedResponse(await response.read(maxResponseBytes));
  } catch (error) {
    const { partial, received } = error instanceof UpstreamFailure ? error : {};
    if (partial === undefined || received !== undefined || jsonIn(partial) === undefined) throw error;
    return partial;
  }
}

function headersOf({ upstream, call, requestId }: VideoCallOptions): string[] {
  const headers = [...bearerOf(upstream.provider), "accept-encoding", "identity"];
  if (call.body !== undefined) headers.push("content-type", "application/json");
  headers.push("x-client-request-id", requestId, ...(call.headers ?? []), ...upstream.provider.headers);
  return headers;
}

/** The outcome of a creation that returned no id. */
export type CreateFault =
  /** It was not created, and another upstream may be tried. */
  | "refused"
  /** It was not created, or failed at once; it must not be retried automatically. */
  | "failed"
  /** Unknown: it must not be created again. */
  | "ambiguous";

/** What a failed `create` means for the task. */
export function createFault(failure: UpstreamFailure): CreateFault {
  switch (failure.kind) {
    case "unreachable":
    case "busy":
    case "operator":
    case "quota":
    case "unknown_model":
    case "capacity":
      return "refused";
    case "client":
      return "failed";
    default:
      // An error in the provider's own format is its refusal; anything else may have come from an
      // intermediary.
      if (failure.status === 503 || failure.status === 529) return "refused";
      return failure.status >= 500 && failure.reported !== undefined ? "failed" : "ambiguous";
  }
}
