import type { Protocol } from "../http/types.ts";
import type { Usage } from "../usage.ts";

/** What the simulator knows of one chat model. */
export interface ChatModel {
  readonly id: string;
  /** The id that answers carry: vendors answer with a dated snapshot of an alias. */
  readonly respondsAs: string;
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  /** Values of reasoning_effort that it takes; absent for a model that does not reason. */
  readonly efforts?: readonly string[];
  readonly defaultEffort?: string;
  /** Tokens of an image: a base, and more for each tile of 512 pixels. */
  readonly imageTokens?: { readonly base: number; readonly tile: number };
  readonly audio?: true;
  readonly video?: true;
}

/** Tokens of one answer. `text`, `audioOut` and `reasoning` add up to what was generated. */
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

/** What tells one speaker of the chat completions protocol from another. */
export interface ChatFlavour {
  readonly protocol: Protocol;
  /** Whether answers carry `reasoning_content`. */
  readonly showsReasoning: boolean;
  /**
   * Whether spoken answers carry their words as the sound's transcript, or as content beside the
   * sound.
   */
  readonly speech: "transcript" | "beside";
  /** Whether chunks carry random padding, as OpenAI's do. */
  readonly padsChunks: boolean;
  /** Fields of every answer and chunk beside the documented core. */
  readonly responseFields: { readonly [field: string]: unknown };
  readonly messageFields: { readonly [field: string]: unknown };
  readonly toolCallIdPrefix: string;
  readonly responseIdPrefix: string;
  usage(counts: Counts): Usage;
}
