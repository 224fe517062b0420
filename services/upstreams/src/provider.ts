import type { OnAbort, Upstream } from "@uag/catalog/types.ts";
import type { EmbeddingAdapter } from "./embeddings/types.ts";
import type { GenerationAdapter, GenerationCall, GenerationFormat, PromptCounter } from "./generation.ts";
import type { ImageAdapter } from "./images/types.ts";
import type { SpeechAdapter } from "./speech/types.ts";
import type { VideoAdapter } from "./video/types.ts";

/** A part of an answer that a cap on the output may leave out of account. */
export type UncappedOutput = "thinking" | "speech";

/** What a provider's protocol can do, and what is particular about it: what its folder exports. */
export interface UpstreamProvider {
  /** Text generation, by the format of the client. */
  readonly generation?: Readonly<Partial<Record<GenerationFormat, GenerationAdapter>>>;
  readonly images?: ImageAdapter;
  readonly video?: VideoAdapter;
  readonly embeddings?: EmbeddingAdapter;
  readonly speech?: SpeechAdapter;
  /** Absent where prompts cannot be counted without being answered. */
  readonly promptCounter?: PromptCounter;
  /**
   * What it does with a stream whose connection is closed. Absent where nothing is known: it is
   * taken to go on.
   */
  readonly onAbort?: OnAbort;
  /** What its models produce, and bill, beyond the client's cap on the output. */
  readonly uncapped?: readonly UncappedOutput[];
  /**
   * Whether a request makes the model think without showing it, beside what the catalogue says of
   * the model.
   */
  thinksUnseen?(fields: GenerationCall["fields"], upstream: Upstream): boolean;
}
