import type { ErrorFormat } from "@uag/capability/client-error.ts";
import type { Model } from "@uag/catalog/types.ts";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import type { ImageAnswer, ImageItem, ImageRequest } from "@uag/upstreams/images/types.ts";

/** What was made of an order, as the client wants it delivered. */
export interface Made {
  readonly requestId: string;
  readonly order: ImageOrder;
  readonly images: readonly ImageItem[];
  /** What the provider drew, `WxH`, where the pictures were resampled to the size that was asked for. */
  readonly upstreamSize: string | undefined;
  /** One for each call that succeeded, in the order of the pictures. */
  readonly answers: readonly ImageAnswer[];
  readonly createdMs: number;
}

/** How a client is answered. */
export interface ImageFormat extends ErrorFormat {
  body(made: Made): Buffer;
}

/** A request for pictures: checked, for a model that this key may use. */
export interface ImageOrder {
  readonly operation: "images.generations" | "images.edits";
  readonly model: Model;
  readonly caller: Caller;
  readonly request: ImageRequest;
  readonly format: ImageFormat;
}
