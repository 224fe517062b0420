export type Json = Readonly<Record<string, unknown>>;

/** One piece of a model's response, in the order in which the provider sent it. */
export type Part =
  | { readonly type: "text" | "thinking"; readonly text: string }
  | { readonly type: "call"; readonly name: string; readonly input: Json };

/** Why a response ended, in no vendor's words. */
export type Finish = "stop" | "length" | "tools" | "refusal" | "pause";

/**
 * A provider's response, and what a client of every format must get. The responses are written by
 * hand after what providers were seen to send.
 */
export interface FidelityCase {
  readonly title: string;
  /** A model of `catalog.ts` beside this file. */
  readonly model: string;
  /** The `data` of each server-sent event of a stream, or the whole body. */
  readonly response: { readonly events: readonly (Json | "[DONE]")[] } | { readonly body: Json };
  readonly parts: readonly Part[];
  readonly finish: Finish;
  /** At chat, where the bytes of OpenAI's peers are passed on unchanged; default: `finish`. */
  readonly chatFinish?: string;
  /** What is billed. */
  readonly units: Readonly<Record<string, number>>;
  /** At the prices of `catalog.ts`. */
  readonly costNanoUsd: number;
  /** Texts that the provider must receive again with the next request, at every format. */
  readonly returned?: readonly string[];
}
