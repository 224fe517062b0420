import type { Upstream } from "@uag/catalog/types";
import type { ResponseMemory } from "@uag/untrusted/response-memory";
import type { DisconnectRule } from "./disconnect/watch.ts";
import type { GenerationAdapter, GenerationCall, ReplayedResponse, UnaryResponse } from "./generation.ts";
import type { HttpResponse } from "./http/call.ts";
import type { HttpPools } from "./http/pools.ts";
import { LiveStream } from "./live-stream.ts";
import { post } from "./post.ts";
import { bodyKind } from "./reading/body-kind.ts";
import { CutLists, restored, type SlimResponse } from "./reading/cut-lists.ts";
import type { UsageIn } from "./reading/found-usage.ts";
import { HeldMemory } from "./reading/held-memory.ts";
import { withoutLogProbabilities } from "./reading/log-probabilities.ts";
import { decoded, readResponse } from "./reading/read-response.ts";
import { withoutLongData } from "./reading/slim-body.ts";
import { SniffedStream } from "./reading/sniffed-stream.ts";
import { hiddenUnitsOf, onAbortOf } from "./registry.ts";

/** The longest complete response of any request, bytes. */
export const maxResponseBytes = 64 * 1024 * 1024;

export type Generated = GeneratedResponse | GeneratedStream;

interface Reported {
  /** The upstream's response, for its headers. */
  readonly upstreamResponse: Pick<HttpResponse, "header">;
}

interface GeneratedResponse extends Reported {
  readonly kind: "unary";
  readonly response: UnaryResponse;
}

export interface GeneratedStream extends Reported {
  readonly kind: "stream";
  readonly live: LiveStream;
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
  /** The longest complete response that is accepted. */
  readonly maxBytes: number;
}

/**
 * One attempt at one upstream. Resolves with the complete response, or the first bytes of a stream.
 * The first bytes decide what the upstream sends: content types are wrong too often. A stream
 * that was not asked for is collected, and a whole body delivered as the stream that was.
 * @throws {UpstreamFailure}
 */
export async function generate(options: GenerateOptions): Promise<Generated> {
  const { adapter, call, upstream } = options;
  const encoded = await adapter.encode(call, upstream, options.signal);
  const { stream = call.stream } = encoded;
  const { pools, signal, memory, maxBytes } = options;
  // The usage of a response that is not streamed, and of hidden units, arrives only at its end.
  const onAbort = stream && hiddenUnitsOf(call, upstream).size === 0 ? onAbortOf(upstream.provider) : "continues";
  const disconnect = { ...options.disconnect, onAbort };
  const posted = await post({ pools, upstream, call: encoded, signal, disconnect, failureOf: adapter.failureOf });
  const response = adapter.unframed?.(posted, upstream) ?? posted;
  const usageIn: UsageIn = (fields) => adapter.usageIn(fields, call, upstream);
  if (!call.stream) {
    const decode = (body: Buffer): Promise<UnaryResponse> => unaryResponse(body, options);
    const unary = await readResponse(response, { maxBytes, memory, usageIn, decode });
    return { kind: "unary", response: unary, upstreamResponse: response };
  }
  const held = new HeldMemory({ memory, signal, response, fail: (failure) => live.error(failure) });
  const replay = (body: Buffer): Promise<ReplayedResponse> => replayedResponse(body, options);
  const sniffed = new SniffedStream({
    stream: adapter.openStream(call, upstream),
    maxBytes,
    memory: held,
    replay: (body) => decoded(body, { usageIn, decode: replay }),
  });
  const live: LiveStream = new LiveStream(sniffed, response);
  await live.open();
  return { kind: "stream", live, upstreamResponse: response };
}

async function unaryResponse(body: Buffer, { adapter, call, upstream }: GenerateOptions): Promise<UnaryResponse> {
  if (bodyKind(body) === "events") return await adapter.collect(body, call, upstream);
  const { body: slim, lists } = await slimmed(body, adapter);
  const response = adapter.decode(slim, call, upstream);
  // Mostly the upstream's own bytes.
  const written = response.body === slim ? body : await lists.restore(response.body);
  return { ...response, body: written };
}

async function replayedResponse(body: Buffer, { adapter, call, upstream }: GenerateOptions): Promise<ReplayedResponse> {
  const { body: slim, lists } = await slimmed(body, adapter);
  const replayed = adapter.replay(slim, call, upstream);
  return await restored(replayed, lists);
}

/** A response without what takes long to parse. @throws {UpstreamFailure} */
async function slimmed(body: Buffer, { rewritesLogprobs }: GenerationAdapter): Promise<SlimResponse> {
  const lists = new CutLists();
  const shorter = rewritesLogprobs === true ? body : await withoutLogProbabilities(body, lists);
  return { body: await withoutLongData(shorter, lists), lists };
}
