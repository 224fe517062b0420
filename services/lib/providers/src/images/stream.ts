import type { ResponseStream } from "../generation.ts";

/** Images received so far. */
export interface ImageCounts {
  readonly partials: number;
  readonly completed: number;
}

/** Images streamed while they are generated: partial images first, then each complete one. */
export interface ImageStream extends ResponseStream, ImageCounts {}

/** Output tokens per partial image (OpenAI's guide to image generation). */
export const tokensOfPartial = 100;
