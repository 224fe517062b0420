import type { Upstream } from "@uag/catalog/types";
import { countOf, type Fields, parsedJson } from "../conversation/fields.ts";
import { broken, tokensReported } from "../embeddings/response.ts";
import type { EmbeddingAdapter, EmbeddingCall, InputType, RawVector, TokenReport } from "../embeddings/types.ts";
import { unusableResponse } from "../failure.ts";
import type { ResponseHeader } from "../json-adapter.ts";
import { elementsOf, topLevelMembers } from "../json-edit.ts";
import { bearerHeaders } from "../openai-compatible/headers.ts";
import { bedrockFailure } from "./errors.ts";

/** The embeddings of one vendor, by InvokeModel. */
interface VendorEmbeddings {
  bodyOf(call: EmbeddingCall, upstream: Upstream): object;
  /** The ranges of the vectors in a body. */
  vectorsIn(body: Buffer): readonly Range[];
  /** The tokens of a response. */
  tokensIn(body: Buffer, header: ResponseHeader): number | undefined;
  /** What the count is called in the usage of a receipt. */
  readonly counter: string;
  /** Vectors have length 1. */
  readonly normalized: boolean;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** The value of a member of the outermost object, within the body. */
function memberOf(body: Buffer, key: string): Range | undefined {
  const member = topLevelMembers(body).findLast((each) => each.key === key);
  return member && { start: member.valueStart, end: member.end };
}

const titanCounter = "inputTextTokenCount";

/** One text a call (https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html). */
const titan: VendorEmbeddings = {
  counter: titanCounter,
  normalized: true,
  bodyOf: ({ inputs: [inputText], dimensions }, { vectorsCutHere }) => ({
    inputText,
    ...(dimensions !== undefined && vectorsCutHere !== true && { dimensions }),
    normalize: true,
  }),
  vectorsIn(body) {
    const vector = memberOf(body, "embedding");
    return vector === undefined ? [] : [vector];
  },
  tokensIn(body) {
    const count = memberOf(body, titanCounter);
    return count && countOf(parsedJson(body.toString("utf8", count.start, count.end)));
  },
};

const inputTypes: Readonly<Record<InputType, string>> = { query: "search_query", document: "search_document" };
const float = "float";

/**
 * Up to 96 texts a call; tokens are counted in a header
 * (https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed.html).
 */
const cohere: VendorEmbeddings = {
  counter: "input_tokens",
  normalized: false,
  bodyOf: ({ inputs, dimensions, inputType = "document" }, { vectorsCutHere }) => ({
    texts: inputs,
    input_type: inputTypes[inputType],
    embedding_types: [float],
    ...(dimensions !== undefined && vectorsCutHere !== true && { output_dimension: dimensions }),
  }),
  vectorsIn(body) {
    const byType = memberOf(body, "embeddings");
    const list = byType && memberIn(body, byType, float);
    return list === undefined ? [] : elementsOf(body.subarray(list.start, list.end)).map((each) => moved(each, list));
  },
  tokensIn: (_body, header) => countOf(Number(header("x-amzn-bedrock-input-token-count") ?? Number.NaN)),
};

const moved = ({ start, end }: Range, within: Range): Range => ({
  start: within.start + start,
  end: within.start + end,
});

function memberIn(body: Buffer, within: Range, key: string): Range | undefined {
  const member = memberOf(body.subarray(within.start, within.end), key);
  return member && moved(member, within);
}

/** Both have embeddings in place of text. */
const vendorOf = ({ model }: Upstream): VendorEmbeddings => (/(?:^|\.)cohere\./.test(model) ? cohere : titan);

const openBracket = 91;
/** Nothing else of a response is a counter. */
const counts = { tokensIn: (response: Fields): unknown => response[titanCounter], known: /./ };

/** Amazon's Titan and Cohere's Embed at Bedrock. */
export const bedrockEmbeddings: EmbeddingAdapter = {
  numbersIn: "text",
  encode(call, upstream) {
    return {
      path: `/model/${encodeURIComponent(upstream.model)}/invoke`,
      headers: bearerHeaders(upstream.provider, call.requestId),
      body: Buffer.from(JSON.stringify(vendorOf(upstream).bodyOf(call, upstream))),
    };
  },
  decode(body, { inputs, dimensions }, upstream, header) {
    const vendor = vendorOf(upstream);
    const vectors = readRanges(body, vendor.vectorsIn(body), inputs.length);
    const finished = vendor.normalized && (dimensions === undefined || upstream.vectorsCutHere !== true);
    return { vectors, list: undefined, usage: reportOf(vendor, vendor.tokensIn(body, header)), finished };
  },
  usageIn: (response) => tokensReported(response, counts),
  failureOf: bedrockFailure,
};

function readRanges(body: Buffer, ranges: readonly Range[], count: number): RawVector[] {
  const found = ranges.filter(({ start }) => body[start] === openBracket);
  if (found.length === 0) throw broken("has no vectors");
  if (found.length !== count)
    throw unusableResponse("the upstream's response has another number of vectors than inputs");
  return found.map(({ start, end }, index) => ({ body, index, start, end }));
}

function reportOf({ counter }: VendorEmbeddings, tokens: number | undefined): TokenReport | undefined {
  if (tokens === undefined || tokens === 0) return undefined;
  return { tokens, others: [], raw: Buffer.from(JSON.stringify({ [counter]: tokens })) };
}
