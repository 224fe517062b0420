import type { Model, Upstream } from "@uag/catalog/types";
import type { Unit } from "@uag/proto/metering/v1/usage.ts";
import type { Fields } from "../conversation/fields.ts";
import type { UpstreamFailure, UpstreamMessage } from "../failure.ts";
import type { BadResponse, ReplayedResponse } from "../generation.ts";
import type { PostedCall } from "../post.ts";
import type { UsageReport } from "../usage-report.ts";
import type { ImageStream } from "./stream.ts";

/** An image's content, with the type detected from it. */
export interface InlineImage {
  readonly type: "inline";
  readonly mediaType: string;
  readonly bytes: Buffer;
}

export type ImageSource = InlineImage | { readonly type: "url"; readonly url: string };

/** A validated image request, whatever the client's format. */
export interface ImageRequest {
  readonly prompt: string;
  readonly count: number;
  readonly references: readonly ImageSource[];
  readonly mask: ImageSource | undefined;
  /**
   * In the client's notation (`1024x1024`, `1024*1024`, `2K`); undefined: the upstream's choice.
   */
  readonly size: string | undefined;
  /** How the client wants the images; upstreams are asked for the same if they offer a choice. */
  readonly delivery: "url" | "inline";
  readonly stream: boolean;
  /** Further fields, under the names used by the model's own provider. */
  readonly options: Fields;
}

export interface ImageCall {
  readonly requestId: string;
  readonly model: Model;
  readonly request: ImageRequest;
}

export type ImageItem = {
  readonly revisedPrompt?: string | undefined;
  /** As reported by the provider, `WxH`. */
  readonly size?: string | undefined;
} & (
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "inline"; readonly base64: string; readonly mediaType: string | undefined }
);

/** A provider's usage, and how it is billed. */
interface ImageUsage {
  /** For a model billed by tokens; undefined: billed by image. */
  readonly units: Unit[] | undefined;
  /** The provider's usage object, unmodified (JSON). */
  readonly raw: Buffer;
}

export interface ImageResponse {
  readonly images: readonly ImageItem[];
  /** Images of the same call that failed, and why. */
  readonly faults: readonly UpstreamMessage[];
  /** Number of images to bill, for a model billed by image. */
  readonly billedImages: number;
  readonly usage: ImageUsage | undefined;
  /** The parsed response: each client format picks what it needs. */
  readonly fields: Fields;
  readonly body: Buffer;
}

/** Image generation through one upstream protocol. */
export interface ImageAdapter {
  /** Maximum images per call; a larger request is split into several calls. */
  readonly maxPerCall: number;
  /** Whether references may be sent as URLs, for the upstream to fetch. */
  readonly takesUrls: boolean;
  /**
   * Variants that an image's price may depend on, most specific first: `hd-1024x1024`, `1024x1024`.
   */
  priceVariants(request: ImageRequest): readonly string[];
  encode(call: ImageCall, upstream: Upstream): PostedCall;
  /** @throws {UpstreamFailure} when the response contains no image */
  decode(body: Buffer, call: ImageCall, upstream: Upstream): ImageResponse;
  /**
   * The usage in a response object, whatever else is in it. Where images are billed one by one, the
   * only unit is `images`; without any unit, as many as requested are charged.
   */
  usageIn(response: Fields): UsageReport | undefined;
  /** A complete response as a stream; present where images can be streamed. */
  replay?(response: ImageResponse): ReplayedResponse;
  /** Absent if images cannot be streamed. */
  openStream?(call: ImageCall, upstream: Upstream): ImageStream;
  /** Classifies a response with a bad status. */
  failureOf(response: BadResponse, upstream: Upstream): UpstreamFailure;
}

declare module "../provider.ts" {
  interface Adapters {
    readonly images?: ImageAdapter;
  }
}
