import type { Upstream } from "@uag/catalog/types";
import { countOf, fieldsOf, parsedJson } from "./conversation/fields.ts";
import { UpstreamFailure } from "./failure.ts";
import type { CountCall, CountFormat, PromptCounter } from "./generation.ts";
import type { HttpPools } from "./http/pools.ts";
import { post } from "./post.ts";
import { estimatePromptTokens } from "./prompt.ts";
import { adapterFor } from "./registry.ts";

const maxResponseBytes = 64 * 1024;

export interface CountOptions {
  readonly pools: HttpPools;
  readonly format: CountFormat;
  readonly call: CountCall;
  readonly upstreams: readonly Upstream[];
  readonly signal: AbortSignal;
  onFailure(upstream: Upstream, failure: UpstreamFailure): void;
}

/**
 * Counts the tokens of a prompt at an upstream that can, else estimates them: an estimate is still
 * useful when no upstream responds.
 * @throws {UpstreamFailure} `client` for a request that the upstream rejects, `cancelled` when the
 * signal aborts
 */
export async function countPrompt(options: CountOptions): Promise<number> {
  for (const upstream of options.upstreams) {
    const counter = adapterFor("promptCounters", upstream.provider.protocol)?.[options.format];
    if (counter === undefined || counter.serves?.(upstream) === false) continue;
    try {
      return await countBy(counter, options, upstream);
    } catch (error) {
      if (!(error instanceof UpstreamFailure) || error.kind === "client" || error.kind === "cancelled") throw error;
      options.onFailure(upstream, error);
    }
  }
  return await estimatePromptTokens(options.call.fields);
}

async function countBy(counter: PromptCounter, options: CountOptions, upstream: Upstream): Promise<number> {
  const { pools, signal } = options;
  const call = await counter.encode(options.call, upstream, signal);
  const response = await post({ pools, upstream, call, signal, failureOf: counter.failureOf });
  const text = await response.read(maxResponseBytes);
  const tokens = countOf(fieldsOf(parsedJson(text.toString("utf8")))[counter.field]);
  if (tokens === undefined)
    throw new UpstreamFailure("transient", "the upstream returned no token count", { status: 200 });
  return tokens;
}
