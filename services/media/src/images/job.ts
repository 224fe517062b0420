import type { ErrorFormat } from "@uag/capability/client-error.ts";
import type { Model } from "@uag/catalog/types.ts";
import type { ImageAdapter, ImageItem, ImageRequest, ImageResponse } from "@uag/upstreams/images/types.ts";

/** A request for images: checked, for a model that this key may use. */
export interface ImageJob {
  readonly operation: "images.generations" | "images.edits";
  readonly model: Model;
  readonly request: ImageRequest;
  /** Of the model's first upstream: all of them speak its protocol. */
  readonly adapter: ImageAdapter;
  readonly format: ImageFormat;
}

/** What became of a job, as the client wants it delivered. */
export interface ImageResult {
  readonly requestId: string;
  readonly job: ImageJob;
  readonly images: readonly ImageItem[];
  /**
   * What the provider drew, `WxH`, where the pictures were resampled to the size that was asked
   * for.
   */
  readonly upstreamSize: string | undefined;
  /** One for each call that succeeded, in the order of the pictures. */
  readonly responses: readonly ImageResponse[];
  /** Unix milliseconds. */
  readonly createdMs: number;
}

/** How a client is answered. */
export interface ImageFormat extends ErrorFormat {
  body(result: ImageResult): Buffer;
}
