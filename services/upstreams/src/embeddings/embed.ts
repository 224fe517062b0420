import type { Upstream } from "@uag/catalog/types.ts";
import { UpstreamFailure } from "../failure.ts";
import { type HttpAnswer, send } from "../http/call.ts";
import type { HttpPools } from "../http/pools.ts";
import { embeddingAdapter } from "./registry.ts";
import type { EmbeddingAdapter, EmbeddingAnswer, EmbeddingCall } from "./types.ts";

/** 2,048 vectors of 3,072 numbers as text. */
const mostAnswerBytes = 256 * 1024 * 1024;
const mostErrorBytes = 256 * 1024;

/**
 * One call to one upstream.
 * @throws {UpstreamFailure}
 */
export async function embed(options: {
  pools: HttpPools;
  call: EmbeddingCall;
  upstream: Upstream;
  signal: AbortSignal;
}): Promise<EmbeddingAnswer> {
  const { call, upstream } = options;
  const { provider } = upstream;
  const adapter = embeddingAdapter(provider.protocol);
  if (adapter === undefined) throw new UpstreamFailure("operator", `${provider.protocol} gives no embeddings`);
  const { path, headers, body } = adapter.encode(call, upstream);
  const answer = await send(options.pools, {
    origin: provider.origin,
    path: provider.basePath + path,
    method: "POST",
    headers,
    body,
    timeouts: provider.timeouts,
    signal: options.signal,
  });
  if (answer.status !== 200) throw await badAnswer(answer, adapter, upstream);
  return adapter.decode(await answer.read(mostAnswerBytes), call, upstream);
}

async function badAnswer(answer: HttpAnswer, adapter: EmbeddingAdapter, upstream: Upstream): Promise<UpstreamFailure> {
  const body = await answer.read(mostErrorBytes).catch((error: unknown) => {
    if (error instanceof UpstreamFailure && error.kind !== "cancelled") return Buffer.alloc(0);
    throw error;
  });
  return adapter.failureOf({ status: answer.status, header: (name) => answer.header(name), body }, upstream);
}
