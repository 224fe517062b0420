import type { Upstream } from "@uag/catalog/types.ts";
import type { ResponseMemory } from "@uag/kit/response-memory.ts";
import type { DisconnectRule } from "../disconnect/watch.ts";
import { UpstreamFailure } from "../failure.ts";
import type { HttpResponse } from "../http/call.ts";
import type { HttpPools } from "../http/pools.ts";
import { LiveStream } from "../live-stream.ts";
import { post } from "../post.ts";
import { boundedResponse } from "../response-limits.ts";
import type { ImageStream } from "./stream.ts";
import type { ImageAdapter, ImageCall, ImageResponse } from "./types.ts";

/** Ten 4K images as base64. */
const maxResponseBytes = 256 * 1024 * 1024;
const maxErrorBytes = 256 * 1024;

export interface MakeImagesOptions {
  readonly pools: HttpPools;
  readonly adapter: ImageAdapter;
  readonly call: ImageCall;
  readonly upstream: Upstream;
  readonly signal: AbortSignal;
  readonly disconnect: Omit<DisconnectRule, "onAbort">;
  /** Accounts for a complete response. */
  readonly memory: ResponseMemory;
}

/**
 * Makes one call to one upstream, for a non-streamed answer.
 * @throws {UpstreamFailure}
 */
export async function makeImages(options: MakeImagesOptions): Promise<ImageResponse> {
  const { adapter, call, upstream } = options;
  const response = await postImages(options);
  return adapter.decode(boundedResponse(await response.read(maxResponseBytes, options.memory)), call, upstream);
}

export interface LiveImages {
  readonly live: LiveStream;
  readonly stream: ImageStream;
}

/**
 * Makes one call to one upstream, for a stream. Resolves with its first event.
 * @throws {UpstreamFailure}
 */
export async function streamImages(options: MakeImagesOptions): Promise<LiveImages> {
  const { adapter, call, upstream } = options;
  if (adapter.openStream === undefined) {
    throw new UpstreamFailure("operator", `${upstream.provider.protocol} does not stream pictures`);
  }
  const response = await postImages(options);
  const type = response.header("content-type") ?? "nothing";
  if (!type.startsWith("text/event-stream")) {
    adapter.decode(await response.read(maxErrorBytes), call, upstream);
    throw new UpstreamFailure("transient", `the upstream answered with content of type ${type.slice(0, 80)}`, {
      status: 200,
    });
  }
  const stream = adapter.openStream(call, upstream);
  const live = new LiveStream(stream, response);
  await live.open();
  return { live, stream };
}

/**
 * Every provider completes, and bills, images after a disconnect: a provider's rule for text
 * streams does not apply to them.
 */
function postImages({ pools, adapter, call, upstream, signal, disconnect }: MakeImagesOptions): Promise<HttpResponse> {
  const encoded = adapter.encode(call, upstream);
  return post({
    pools,
    upstream,
    call: encoded,
    signal,
    disconnect: { ...disconnect, onAbort: "continues" },
    failureOf: adapter.failureOf,
  });
}
