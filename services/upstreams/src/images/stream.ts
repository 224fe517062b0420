import type { ResponseStream } from "../generation.ts";

/** Images as they take shape: the sketches first, then each image whole. */
export interface ImageStream extends ResponseStream {
  /** Sketches that have come. */
  readonly partials: number;
  /** Whole images that have come. */
  readonly completed: number;
}

/** Output tokens that one sketch costs (OpenAI's guide to image generation). */
export const tokensOfPartial = 100;
