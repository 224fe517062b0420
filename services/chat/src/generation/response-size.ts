import type { Model } from "@uag/catalog/types";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { type Fields, fieldsOf, listOf, numberOf } from "@uag/providers/conversation/fields";
import { requestsSpeech } from "@uag/providers/disconnect/estimable";
import { maxResponseBytes } from "@uag/providers/generate";
import { maxParsedBytes } from "@uag/providers/response-limits";
import type { GenerationRequest } from "../format.ts";
import { outputBound, type Sizing } from "./size.ts";

/** Of a token's text as JSON: four bytes on average, twice that with escapes. */
const textBytes = 8;
/** Of one token's log probability with its bytes, indented as OpenAI sends it. */
const logprobBytes = 256;
/** Of one token of speech: 50 ms of 24 kHz PCM as base64. */
const speechBytes = 3_300;
/** What else a response may contain: reasoning, results of tools, the envelope. */
const otherBytes = 24 * 1024 * 1024;

type Request = Pick<GenerationRequest, "fields" | "candidates" | "outputCap" | "stream">;
type Shape = Pick<Sizing, "model" | "fields" | "candidates" | "outputCap">;

/** The longest body accepted as the complete response to a request. */
export function acceptedBytes(shape: Shape): number {
  return Math.min(otherBytes + largestBytes(shape), maxResponseBytes);
}

/** What a complete response may have: text is parsed at once, everything else in turns. */
function limitFor(fields: Fields): number {
  return bytesPerToken(fields) === textBytes ? maxParsedBytes : maxResponseBytes;
}

/** The largest complete response, bytes. */
function largestBytes(shape: Shape): number {
  return outputBound(shape) * shape.candidates * bytesPerToken(shape.fields);
}

/**
 * Refuses a request whose complete response could exceed what is accepted, before anything is
 * spent. A streamed response has no such bound.
 * @throws {GatewayError} `invalid_request`, naming the parameter to lower
 */
export function checkResponseSize(
  { stream, ...request }: Request,
  model: Model,
  { rewritesLogprobs = false }: { readonly rewritesLogprobs?: boolean } = {},
): void {
  const { outputCap, candidates, fields } = request;
  const shape = { ...request, model };
  const limit = rewritesLogprobs ? maxParsedBytes : limitFor(fields);
  if (stream || outputCap === undefined || largestBytes(shape) <= limit) return;
  const { cap, count, streamed, ...names } = namesIn(fields);
  const ranked = rewritesLogprobs ? "logprobs" : names.ranked;
  const fitting = fittingTokens(shape, limit);
  const lowered = [candidates > 1 && count, rankedTokens(fields) > 0 && ranked, cap].filter(Boolean);
  const param = String(lowered[0]);
  const text =
    `${param}: the response could have up to ${megabytes(largestBytes(shape))} MB, above the limit of ${megabytes(limit)} MB. ` +
    `Lower ${lowered.join(" or ")}, or ${streamed}. With the other values unchanged, the largest ${cap} is ${fitting}.`;
  throw new GatewayError("invalid_request", text, { param });
}

/**
 * The cap to send for a request without one of its own, whose complete response could otherwise
 * exceed what is accepted; undefined when none is needed.
 */
export function fittingCap(shape: Shape, stream: boolean): number | undefined {
  if (stream || shape.outputCap !== undefined || largestBytes(shape) <= limitFor(shape.fields)) return undefined;
  return fittingTokens(shape, limitFor(shape.fields));
}

/** Tokens per candidate whose complete response is accepted. */
function fittingTokens({ fields, candidates }: Shape, limit: number): number {
  return Math.floor(limit / (bytesPerToken(fields) * Math.max(1, candidates)));
}

/** What a request's format calls the fields to lower. */
function namesIn(fields: Fields) {
  const cap = capNames.find((name) => fields[name] != null) ?? "max_tokens";
  if (fields["contents"] === undefined)
    return { cap, count: "n", ranked: "top_logprobs", streamed: "set stream to true" };
  const [config, streamed] = ["generationConfig", "use streamGenerateContent"];
  return {
    cap: `${config}.maxOutputTokens`,
    count: `${config}.candidateCount`,
    ranked: `${config}.logprobs`,
    streamed,
  };
}

const capNames = ["max_completion_tokens", "max_tokens", "max_output_tokens"];

const megabytes = (bytes: number): number => Math.ceil(bytes / 1_000_000);

function bytesPerToken(fields: Fields): number {
  if (requestsSpeech(fields)) return speechBytes;
  const wantsLogprobs =
    fields["logprobs"] === true ||
    configOf(fields)["responseLogprobs"] === true ||
    listOf(fields["include"]).includes("message.output_text.logprobs");
  return textBytes + (wantsLogprobs ? (1 + rankedTokens(fields)) * logprobBytes : 0);
}

const rankedTokens = (fields: Fields): number =>
  numberOf(fields["top_logprobs"]) ?? numberOf(configOf(fields)["logprobs"]) ?? 0;

/** The settings of a request in Gemini's format. */
const configOf = (fields: Fields): Fields => fieldsOf(fields["generationConfig"]);
