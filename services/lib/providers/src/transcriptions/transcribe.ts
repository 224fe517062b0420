import type { Upstream } from "@uag/catalog/types";
import type { ResponseMemory } from "@uag/untrusted/response-memory";
import type { DisconnectRule } from "../disconnect/watch.ts";
import { UpstreamFailure } from "../failure.ts";
import type { HttpResponse } from "../http/call.ts";
import type { HttpPools } from "../http/pools.ts";
import { LiveStream } from "../live-stream.ts";
import { post } from "../post.ts";
import { HeldMemory } from "../reading/held-memory.ts";
import { decoded, readResponse } from "../reading/read-response.ts";
import { SniffedStream } from "../reading/sniffed-stream.ts";
import { withoutWordTimes } from "../reading/word-times.ts";
import { adapterFor } from "../registry.ts";
import { boundedResponse } from "../response-limits.ts";
import type { Transcript, TranscriptionAdapter, TranscriptionCall } from "./types.ts";

/** A day of speech, with a time for each word, has less. */
const maxResponseBytes = 32 * 1024 * 1024;

export interface TranscribeOptions {
  readonly pools: HttpPools;
  readonly call: TranscriptionCall;
  readonly upstream: Upstream;
  readonly signal: AbortSignal;
  readonly disconnect: Omit<DisconnectRule, "onAbort">;
  /** Accounts for the response. */
  readonly memory: ResponseMemory;
}

/**
 * Makes one call to one upstream, for a response that is not streamed.
 * @throws {UpstreamFailure}
 */
export async function transcribe(options: TranscribeOptions): Promise<Transcript> {
  const adapter = adapterOf(options);
  const { upstream, memory } = options;
  return await readResponse(await postAudio(adapter, options), {
    maxBytes: maxResponseBytes,
    memory,
    usageIn: adapter.usageIn,
    decode: (body) => transcriptIn(body, adapter, upstream),
  });
}

/**
 * Makes one call to one upstream, for a stream. Resolves with its first event. A whole body is
 * delivered as a stream.
 * @throws {UpstreamFailure}
 */
export async function streamTranscript(options: TranscribeOptions): Promise<LiveStream> {
  const adapter = adapterOf(options);
  const { upstream, memory, signal } = options;
  const response = await postAudio(adapter, options);
  const { usageIn } = adapter;
  const sniffed = new SniffedStream({
    stream: adapter.openStream(upstream),
    maxBytes: maxResponseBytes,
    memory: new HeldMemory({ memory, signal, response, fail: (failure) => live.error(failure) }),
    replay: (body) =>
      decoded(body, {
        usageIn,
        decode: async (whole) => adapter.replay(adapter.decode(await boundedResponse(whole), upstream)),
      }),
  });
  const live: LiveStream = new LiveStream(sniffed, response);
  await live.open();
  return live;
}

async function transcriptIn(body: Buffer, adapter: TranscriptionAdapter, upstream: Upstream): Promise<Transcript> {
  const slim = await withoutWordTimes(body);
  const transcript = adapter.decode(await boundedResponse(slim), upstream);
  // Mostly the upstream's own bytes.
  return transcript.body === slim ? { ...transcript, body } : transcript;
}

function adapterOf({ upstream }: TranscribeOptions): TranscriptionAdapter {
  const { protocol } = upstream.provider;
  const adapter = adapterFor("transcriptions", protocol);
  if (adapter === undefined) throw new UpstreamFailure("operator", `${protocol} does not support transcription`);
  return adapter;
}

/** Every provider completes a transcript, and bills it, after a disconnect. */
function postAudio(adapter: TranscriptionAdapter, options: TranscribeOptions): Promise<HttpResponse> {
  const { pools, call, upstream, signal } = options;
  const disconnect = { ...options.disconnect, onAbort: "continues" } as const;
  const { failureOf } = adapter;
  return post({ pools, upstream, call: adapter.encode(call, upstream), signal, disconnect, failureOf });
}
