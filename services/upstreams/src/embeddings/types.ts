import type { EmbeddingTraits, Upstream } from "@uag/catalog/types.ts";
import type { UpstreamFailure } from "../failure.ts";
import type { BadResponse, UpstreamCall } from "../generation.ts";
import type { FoundVector } from "./scan.ts";

/** One input: text, or the ids of its tokens. */
export type EmbeddingInput = string | readonly number[];

export type VectorFormat = "float" | "base64";

/** What the text is for, where a model makes a difference. */
export type InputType = "query" | "document";

/** One call to one upstream: inputs that it takes together. */
export interface EmbeddingCall {
  readonly requestId: string;
  readonly traits: EmbeddingTraits;
  readonly inputs: readonly EmbeddingInput[];
  /** The size asked for; undefined: the model's own. */
  readonly dimensions: number | undefined;
  readonly inputType: InputType | undefined;
}

/** A vector inside an answer's bytes, still in the upstream's words. */
export interface RawVector extends FoundVector {
  readonly body: Buffer;
}

/** What an upstream counted. */
export interface TokenReport {
  readonly tokens: number;
  /** The upstream's usage object as it came (JSON). */
  readonly raw: Buffer;
}

export interface EmbeddingResponse {
  /** In the order of the inputs. */
  readonly vectors: readonly RawVector[];
  /** The whole list as it came, when its items are OpenAI's and in the order of the inputs. */
  readonly list: Buffer | undefined;
  readonly usage: TokenReport | undefined;
  /** The vectors are as long as asked for and of length 1. */
  readonly finished: boolean;
}

export interface EmbeddingAdapter {
  encode(call: EmbeddingCall, upstream: Upstream): Omit<UpstreamCall, "stream">;
  /**
   * @throws {UpstreamFailure} when the body is no answer to this call, or an error under a good
   * status
   */
  decode(body: Buffer, call: EmbeddingCall, upstream: Upstream): EmbeddingResponse;
  failureOf(response: BadResponse, upstream: Upstream): UpstreamFailure;
}
