import type { Protocol } from "../http/types.ts";
import type { Usage } from "../usage.ts";
import type { ImageRule } from "./image-tokens.ts";

/** One simulated chat model. */
export interface ChatModel {
  readonly id: string;
  /** The id in responses: vendors resolve an alias to a dated snapshot. */
  readonly respondsAs: string;
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  /** Accepted values of reasoning_effort; absent for a model that does not reason. */
  readonly efforts?: readonly string[];
  readonly defaultEffort?: string;
  /** How an image is counted; default: OpenAI's tile rule. */
  readonly imageTokens?: ImageRule;
  readonly audio?: true;
  readonly video?: true;
}

/** Tokens of one response. `text`, `audioOut` and `reasoning` add up to the output. */
export interface Counts {
  readonly prompt: number;
  readonly cached: number;
  readonly imageIn: number;
  readonly audioIn: number;
  readonly videoIn: number;
  readonly text: number;
  readonly audioOut: number;
  readonly reasoning: number;
  readonly acceptedPrediction: number;
  readonly rejectedPrediction: number;
}

export interface ApiError {
  readonly status: number;
  readonly message: string;
  readonly param?: string | null;
  readonly code?: string | null;
}

/** The differences between vendors of the chat completions protocol. */
export interface ChatFlavour {
  readonly protocol: Protocol;
  /** Whether responses contain `reasoning_content`. */
  readonly showsReasoning: boolean;
  /**
   * Whether spoken responses contain their words as a transcript of the audio, or as content next to
   * it.
   */
  readonly speech: "transcript" | "beside";
  /** Whether chunks contain random padding, like OpenAI's. */
  readonly padsChunks: boolean;
  /** Fields of every response and chunk in addition to the documented core. */
  readonly responseFields: { readonly [field: string]: unknown };
  readonly messageFields: { readonly [field: string]: unknown };
  readonly toolCallIdPrefix: string;
  readonly responseIdPrefix: string;
  usage(counts: Counts): Usage;
}
