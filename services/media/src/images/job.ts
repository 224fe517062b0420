import type { Model } from "@uag/catalog/types";
import type { ErrorFormat } from "@uag/pipeline/client-error";
import type { ImageAdapter, ImageItem, ImageRequest, ImageResponse } from "@uag/providers/images/types";

/** A validated image request, for a model that the key may use. */
export interface ImageJob {
  readonly operation: "images.generations" | "images.edits";
  readonly model: Model;
  readonly request: ImageRequest;
  /** The adapter of the model's first upstream: all of them use its protocol. */
  readonly adapter: ImageAdapter;
  readonly format: ImageFormat;
}

/** The outcome of a job, converted to the requested delivery. */
export interface ImageResult {
  readonly requestId: string;
  readonly job: ImageJob;
  readonly images: readonly ImageItem[];
  /**
   * The size the provider generated, `WxH`, when the images were resampled to the requested size.
   */
  readonly upstreamSize: string | undefined;
  /** One per successful call, in the order of the images. */
  readonly responses: readonly ImageResponse[];
  /** Unix milliseconds. */
  readonly createdMs: number;
}

/** The response format of a client. */
export interface ImageFormat extends ErrorFormat {
  body(result: ImageResult): Promise<Buffer>;
}
