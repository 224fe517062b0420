import type { Upstream } from "@uag/catalog/types.ts";
import type { ResponseMemory } from "@uag/kit/response-memory.ts";
import type { DisconnectRule } from "./disconnect/watch.ts";
import { UpstreamFailure } from "./failure.ts";
import type { GenerationAdapter, GenerationCall, UnaryResponse } from "./generation.ts";
import type { HttpResponse } from "./http/call.ts";
import type { HttpPools } from "./http/pools.ts";
import { LiveStream } from "./live-stream.ts";
import { post } from "./post.ts";
import { onAbortOf, thinksUnseen } from "./registry.ts";
import { boundedResponse } from "./response-limits.ts";

const maxResponseBytes = 64 * 1024 * 1024;
const maxErrorBytes = 256 * 1024;

export type Generated = GeneratedResponse | GeneratedStream;

interface Reported {
  /** The upstream's response, for its headers. */
  readonly upstreamResponse: Pick<HttpResponse, "header">;
}

export interface GeneratedResponse extends Reported {
  readonly kind: "unary";
  readonly response: UnaryResponse;
}

export interface GeneratedStream extends Reported {
  readonly kind: "stream";
  readonly live: LiveStream;
  /** Everything the model generated was received, up to where the stream was stopped. */
  readonly allSeen: boolean;
}

export interface GenerateOptions {
  readonly pools: HttpPools;
  readonly adapter: GenerationAdapter;
  readonly call: GenerationCall;
  readonly upstream: Upstream;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  readonly disconnect: Omit<DisconnectRule, "onAbort">;
  /** Accounts for a complete response. */
  readonly memory: ResponseMemory;
}

/**
 * One attempt at one upstream. Resolves with the complete answer, or the first bytes of a stream.
 * @throws {UpstreamFailure}
 */
export async function generate(options: GenerateOptions): Promise<Generated> {
  const { adapter, call, upstream } = options;
  const encoded = await adapter.encode(call, upstream, options.signal);
  const { stream = call.stream } = encoded;
  const { pools, signal, memory } = options;
  // The usage of a non-streamed answer, and of hidden thinking, is only known at its end.
  const onAbort = stream && !thinksUnseen(call, upstream) ? onAbortOf(upstream.provider) : "continues";
  const disconnect = { ...options.disconnect, onAbort };
  const response = await post({ pools, upstream, call: encoded, signal, disconnect, failureOf: adapter.failureOf });
  const type = response.header("content-type") ?? "";
  const fits = stream ? !/^(application\/json|text\/html)/.test(type) : !type.startsWith("text/event-stream");
  if (!fits) return await oddResponse(response, options);
  if (!call.stream) {
    const whole = boundedResponse(await response.read(maxResponseBytes, memory));
    const collected = stream ? adapter.collect?.(whole, call, upstream) : undefined;
    return { kind: "unary", response: collected ?? adapter.decode(whole, call, upstream), upstreamResponse: response };
  }
  const live = new LiveStream(adapter.openStream(call, upstream), response);
  await live.open();
  return { kind: "stream", live, allSeen: onAbort === "stops", upstreamResponse: response };
}

/** A response of the wrong type: usually an error under status 200, which explains the problem. */
async function oddResponse(response: HttpResponse, { adapter, call, upstream }: GenerateOptions): Promise<never> {
  const type = response.header("content-type") ?? "nothing";
  const body = await response.read(maxErrorBytes);
  if (!type.startsWith("text/event-stream")) adapter.decode(body, call, upstream);
  throw new UpstreamFailure("transient", `the upstream answered with content of type ${type.slice(0, 80)}`, {
    status: 200,
  });
}
