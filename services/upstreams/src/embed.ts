import type { Upstream } from "@uag/catalog/types.ts";
import type { DisconnectRule } from "./disconnect/watch.ts";
import type { EmbeddingCall, EmbeddingResponse } from "./embeddings/types.ts";
import { UpstreamFailure } from "./failure.ts";
import type { HttpPools } from "./http/pools.ts";
import { post } from "./post.ts";
import { adapterFor } from "./registry.ts";

/** 2,048 vectors of 3,072 numbers as text. */
const maxResponseBytes = 256 * 1024 * 1024;

/**
 * Makes one call to one upstream.
 * @throws {UpstreamFailure}
 */
export async function embed(options: {
  pools: HttpPools;
  call: EmbeddingCall;
  upstream: Upstream;
  signal: AbortSignal;
  disconnect: DisconnectRule;
}): Promise<EmbeddingResponse> {
  const { pools, call, upstream, signal, disconnect } = options;
  const { protocol } = upstream.provider;
  const adapter = adapterFor("embeddings", protocol);
  if (adapter === undefined) throw new UpstreamFailure("operator", `${protocol} gives no embeddings`);
  const encoded = adapter.encode(call, upstream);
  const response = await post({ pools, upstream, call: encoded, signal, disconnect, failureOf: adapter.failureOf });
  return adapter.decode(await response.read(maxResponseBytes), call, upstream);
}
