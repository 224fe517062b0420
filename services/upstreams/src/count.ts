import type { Upstream } from "@uag/catalog/types.ts";
import { encodeJson } from "@uag/kit/json/encode.ts";
import { anthropicFailure } from "./anthropic/errors.ts";
import { passedCall } from "./anthropic/messages.ts";
import { countOf, fieldsOf, parsedJson } from "./conversation/fields.ts";
import { UpstreamFailure } from "./failure.ts";
import { readMessages } from "./formats/messages/read.ts";
import { geminiFailure } from "./gemini/errors.ts";
import { geminiHeaders } from "./gemini/headers.ts";
import { geminiBody } from "./gemini/request.ts";
import type { BadAnswer, GenerationCall, UpstreamCall } from "./generation.ts";
import type { HttpPools } from "./http/pools.ts";
import { post } from "./post.ts";
import { estimatePromptTokens } from "./prompt.ts";

const mostAnswerBytes = 64 * 1024;

export interface CountOptions {
  readonly pools: HttpPools;
  /** A request in the messages format. */
  readonly call: Pick<GenerationCall, "requestId" | "body" | "fields" | "headers" | "media">;
  readonly upstreams: readonly Upstream[];
  readonly signal: AbortSignal;
  onFailure(upstream: Upstream, failure: UpstreamFailure): void;
}

interface Counter {
  ask(options: CountOptions, upstream: Upstream): UpstreamCall | Promise<UpstreamCall>;
  /** The field of the answer that has the count. */
  readonly field: string;
  failureOf(answer: BadAnswer, upstream: Upstream): UpstreamFailure;
}

const counters: Partial<Record<Upstream["provider"]["protocol"], Counter>> = {
  anthropic: {
    ask: ({ call }, upstream) => passedCall({ ...call, outputCap: undefined }, upstream, "/v1/messages/count_tokens"),
    field: "input_tokens",
    failureOf: anthropicFailure,
  },
  gemini: { ask: askGemini, field: "totalTokens", failureOf: geminiFailure },
};

/**
 * The tokens of a prompt: counted by an upstream that can, else estimated. That no upstream answers is no reason to
 * answer nothing.
 * @throws {UpstreamFailure} `client` for a request that the upstream refuses, `cancelled` when the signal aborts
 */
export async function countPrompt(options: CountOptions): Promise<number> {
  for (const upstream of options.upstreams) {
    const counter = counters[upstream.provider.protocol];
    if (counter === undefined) continue;
    try {
      return await countBy(counter, options, upstream);
    } catch (error) {
      if (!(error instanceof UpstreamFailure) || error.kind === "client" || error.kind === "cancelled") throw error;
      options.onFailure(upstream, error);
    }
  }
  return await estimatePromptTokens(options.call.fields);
}

async function countBy(counter: Counter, options: CountOptions, upstream: Upstream): Promise<number> {
  const { pools, signal } = options;
  const call = await counter.ask(options, upstream);
  const answer = await post({ pools, upstream, call, signal, failureOf: counter.failureOf });
  const text = await answer.read(mostAnswerBytes);
  const tokens = countOf(fieldsOf(parsedJson(text.toString("utf8")))[counter.field]);
  if (tokens === undefined) throw new UpstreamFailure("transient", "the upstream did not count", { status: 200 });
  return tokens;
}

async function askGemini({ call, signal }: CountOptions, upstream: Upstream): Promise<UpstreamCall> {
  const request = await geminiBody(readMessages(call.fields), { call, upstream, signal });
  const model = `models/${upstream.model}`;
  return {
    path: `/v1beta/models/${encodeURIComponent(upstream.model)}:countTokens`,
    headers: [...geminiHeaders(upstream.provider), "x-client-request-id", call.requestId],
    body: await encodeJson({ generateContentRequest: { model, ...request } }),
  };
}
