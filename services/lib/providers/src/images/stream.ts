import type { ResponseStream } from "../generation.ts";

/** Images streamed while they are generated: partial images first, then each complete one. */
export interface ImageStream extends ResponseStream {
  /** Partial images received. */
  readonly partials: number;
  /** Complete images received. */
  readonly completed: number;
}

/** Output tokens per partial image (OpenAI's guide to image generation). */
export const tokensOfPartial = 100;
