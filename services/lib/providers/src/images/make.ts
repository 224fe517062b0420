import type { Upstream } from "@uag/catalog/types";
import type { ResponseMemory } from "@uag/untrusted/response-memory";
import type { DisconnectRule } from "../disconnect/watch.ts";
import { UpstreamFailure } from "../failure.ts";
import type { ReplayedResponse } from "../generation.ts";
import type { HttpResponse } from "../http/call.ts";
import type { HttpPools } from "../http/pools.ts";
import { LiveStream } from "../live-stream.ts";
import { post } from "../post.ts";
import { bodyKind } from "../reading/body-kind.ts";
import { CutLists, restored, type SlimResponse } from "../reading/cut-lists.ts";
import type { UsageIn } from "../reading/found-usage.ts";
import { HeldMemory } from "../reading/held-memory.ts";
import { decoded, readResponse } from "../reading/read-response.ts";
import { withoutLongData } from "../reading/slim-body.ts";
import { SniffedStream } from "../reading/sniffed-stream.ts";
import { checkParsedSize } from "../response-limits.ts";
import type { ImageCounts } from "./stream.ts";
import type { ImageAdapter, ImageCall, ImageResponse } from "./types.ts";

const mebi = 1024 * 1024;
/** A 4K image without compression, as base64. */
const bytesPerImage = 32 * mebi;
/** Ten compressed 4K images as base64. */
const maxResponseBytes = 256 * mebi;

/** The most bytes that a response to a call may have. */
const largest = ({ request }: ImageCall): number => Math.min(request.count * bytesPerImage, maxResponseBytes);

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
 * Makes one call to one upstream, for a non-streamed response.
 * @throws {UpstreamFailure}
 */
export async function makeImages(options: MakeImagesOptions): Promise<ImageResponse> {
  const { adapter, call } = options;
  const response = await postImages(options);
  return await readResponse(response, {
    maxBytes: largest(call),
    memory: options.memory,
    usageIn: usageInOf(adapter),
    decode: (body) => wholeResponse(body, options),
  });
}

async function wholeResponse(body: Buffer, options: MakeImagesOptions): Promise<ImageResponse> {
  const { adapter, call, upstream } = options;
  const { body: slim, lists } = await slimmed(body);
  const response = adapter.decode(slim, call, upstream);
  const { images, fields } = await lists.withTexts({ images: response.images, fields: response.fields });
  return { ...response, images, fields, body: response.body === slim ? body : response.body };
}

/** A response without its images. @throws {UpstreamFailure} */
async function slimmed(body: Buffer): Promise<SlimResponse> {
  const lists = new CutLists();
  if (bodyKind(body) !== "events") return { body: await withoutLongData(body, lists), lists };
  checkParsedSize(body);
  return { body, lists };
}

export interface LiveImages {
  readonly live: LiveStream;
  /** Images received so far. */
  counts(): ImageCounts;
}

/**
 * Makes one call to one upstream, for a stream. Resolves with its first event. A whole body is
 * delivered as a stream.
 * @throws {UpstreamFailure}
 */
export async function streamImages(options: MakeImagesOptions): Promise<LiveImages> {
  const { adapter, call, upstream } = options;
  const { replay } = adapter;
  if (adapter.openStream === undefined || replay === undefined) {
    throw new UpstreamFailure("operator", `${upstream.provider.protocol} does not stream images`);
  }
  const response = await postImages(options);
  const stream = adapter.openStream(call, upstream);
  let replayed = 0;
  const decode = async (body: Buffer): Promise<ReplayedResponse> => {
    const { body: slim, lists } = await slimmed(body);
    const whole = adapter.decode(slim, call, upstream);
    replayed = whole.images.length;
    return await restored(replay(whole), lists);
  };
  const { memory, signal } = options;
  const held = new HeldMemory({ memory, signal, response, fail: (failure) => live.error(failure) });
  const sniffed = new SniffedStream({
    stream,
    maxBytes: largest(call),
    memory: held,
    replay: (body) => decoded(body, { usageIn: usageInOf(adapter), decode }),
  });
  const live: LiveStream = new LiveStream(sniffed, response);
  await live.open();
  return { live, counts: () => ({ partials: stream.partials, completed: stream.completed + replayed }) };
}

function usageInOf(adapter: ImageAdapter): UsageIn {
  return (fields) => adapter.usageIn(fields);
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
