import type { EmbeddingTraits } from "@uag/catalog/types";
import type { Unit } from "@uag/proto/metering/v1/usage.ts";
import type { FoundVector } from "@uag/untrusted/vectors/scan";
import type { Fields } from "../conversation/fields.ts";
import type { JsonAdapter } from "../json-adapter.ts";
import type { UsageReport } from "../usage-report.ts";

/** One input: text, or the ids of its tokens. */
export type EmbeddingInput = string | readonly number[];

export type VectorFormat = "float" | "base64";

/** The purpose of the text, for models that distinguish it. */
export type InputType = "query" | "document";

/** One call to one upstream, with a batch of inputs. */
export interface EmbeddingCall {
  readonly requestId: string;
  readonly traits: EmbeddingTraits;
  readonly inputs: readonly EmbeddingInput[];
  /** The requested size; undefined: the model's own. */
  readonly dimensions: number | undefined;
  readonly inputType: InputType | undefined;
  /**
   * The client's requests in Gemini's format, one for each input; a provider of that format gets
   * them unmodified. Undefined: the client's format is OpenAI's.
   */
  readonly contents?: readonly Fields[] | undefined;
}

/** A vector within a response's bytes, in the upstream's encoding. */
export interface RawVector extends FoundVector {
  readonly body: Buffer;
}

/** The token count reported by an upstream. */
export interface TokenReport {
  readonly tokens: number;
  /** Counters that the catalogue has no unit for. */
  readonly others: readonly Unit[];
  /** The upstream's usage object, unmodified (JSON). */
  readonly raw: Buffer;
}

export interface EmbeddingResponse {
  /** In the order of the inputs. */
  readonly vectors: readonly RawVector[];
  /**
   * The whole list, unmodified, when its items are in the client's format and in the order of the
   * inputs.
   */
  readonly list: Buffer | undefined;
  readonly usage: TokenReport | undefined;
  /** The vectors have the requested size and length 1. */
  readonly finished: boolean;
}

/** Bytes per number of a response: in base64, and as text of usual precision. */
export const numberBytes = { base64: 16 / 3, text: 13 } as const;

export interface EmbeddingAdapter extends JsonAdapter<EmbeddingCall, EmbeddingResponse> {
  /** How its responses encode numbers, which determines their memory. */
  readonly numbersIn: keyof typeof numberBytes;
  usageIn(response: Fields): UsageReport | undefined;
}

declare module "../provider.ts" {
  interface Adapters {
    readonly embeddings?: EmbeddingAdapter;
  }
}
