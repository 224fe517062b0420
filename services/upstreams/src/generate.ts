import type { Upstream } from "@uag/catalog/types.ts";
import { UpstreamFailure } from "./failure.ts";
import type { GenerationAdapter, GenerationCall, WholeAnswer } from "./generation.ts";
import { type HttpAnswer, send } from "./http/call.ts";
import type { HttpPools } from "./http/pools.ts";
import { LiveStream } from "./live-stream.ts";

const mostAnswerBytes = 64 * 1024 * 1024;
const mostErrorBytes = 256 * 1024;

export type Generated =
  | { readonly kind: "whole"; readonly answer: WholeAnswer }
  | { readonly kind: "stream"; readonly live: LiveStream };

export interface GenerateOptions {
  readonly pools: HttpPools;
  readonly adapter: GenerationAdapter;
  readonly call: GenerationCall;
  readonly upstream: Upstream;
  readonly signal: AbortSignal;
}

/**
 * One try of one upstream. Resolves when the whole answer is there, or the first bytes of a stream.
 * @throws {UpstreamFailure}
 */
export async function generate(options: GenerateOptions): Promise<Generated> {
  const { adapter, call, upstream } = options;
  const { provider } = upstream;
  const encoded = await adapter.encode(call, upstream, options.signal);
  const { path, headers, body, stream = call.stream } = encoded;
  const answer = await send(options.pools, {
    origin: provider.origin,
    path: provider.basePath + path,
    method: "POST",
    headers,
    body,
    timeouts: provider.timeouts,
    signal: options.signal,
  });
  if (answer.status !== 200) throw await badAnswer(answer, options);
  const type = answer.header("content-type") ?? "";
  const fits = stream ? !/^(application\/json|text\/html)/.test(type) : !type.startsWith("text/event-stream");
  if (!fits) return await oddAnswer(answer, options);
  if (!call.stream) {
    const whole = await answer.read(mostAnswerBytes);
    const collected = stream ? adapter.collect?.(whole, call, upstream) : undefined;
    return { kind: "whole", answer: collected ?? adapter.decode(whole, call, upstream) };
  }
  const live = new LiveStream(adapter.openStream(call, upstream), answer);
  await live.open();
  return { kind: "stream", live };
}

async function badAnswer(answer: HttpAnswer, { adapter, upstream }: GenerateOptions): Promise<UpstreamFailure> {
  const body = await answer.read(mostErrorBytes).catch((error: unknown) => {
    if (error instanceof UpstreamFailure && error.kind !== "cancelled") return Buffer.alloc(0);
    throw error;
  });
  return adapter.failureOf({ status: answer.status, header: (name) => answer.header(name), body }, upstream);
}

/** Not what was asked for: most often an error under status 200, which says what is wrong. */
async function oddAnswer(answer: HttpAnswer, { adapter, call, upstream }: GenerateOptions): Promise<never> {
  const type = answer.header("content-type") ?? "nothing";
  const body = await answer.read(mostErrorBytes);
  if (!type.startsWith("text/event-stream")) adapter.decode(body, call, upstream);
  throw new UpstreamFailure("transient", `the upstream answered with content of type ${type.slice(0, 80)}`, {
    status: 200,
  });
}
