import type { Model, Upstream } from "@uag/catalog/types.ts";
import type { Unit } from "@uag/proto/metering/v1/usage.ts";
import type { Fields } from "../conversation/fields.ts";
import type { UpstreamFailure, UpstreamMessage } from "../failure.ts";
import type { BadResponse, UpstreamCall } from "../generation.ts";
import type { ImageStream } from "./stream.ts";

/** A picture's file, whose type is known from its content. */
export interface InlineImage {
  readonly type: "inline";
  readonly mediaType: string;
  readonly bytes: Buffer;
}

export type ImageSource = InlineImage | { readonly type: "url"; readonly url: string };

/** What a client wants drawn, whatever format it asked in. Everything here is checked. */
export interface ImageRequest {
  readonly prompt: string;
  readonly count: number;
  readonly references: readonly ImageSource[];
  readonly mask: InlineImage | undefined;
  /** As the client wrote it (`1024x1024`, `1024*1024`, `2K`); undefined: the upstream's choice. */
  readonly size: string | undefined;
  /** How the client wants the pictures; upstreams are asked the same where they let one choose. */
  readonly delivery: "url" | "inline";
  readonly stream: boolean;
  /** More fields, under the names that the model's own provider gives them. */
  readonly options: Fields;
}

export interface ImageCall {
  readonly requestId: string;
  readonly model: Model;
  readonly request: ImageRequest;
}

export type ImageItem = {
  readonly revisedPrompt?: string | undefined;
  /** As the provider says it, `WxH`. */
  readonly size?: string | undefined;
} & (
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "inline"; readonly base64: string; readonly mediaType: string | undefined }
);

/** What a provider counted, and how it is billed. */
export interface ImageUsage {
  /** For a model billed by tokens; undefined: billed by image. */
  readonly units: Unit[] | undefined;
  /** The provider's usage object as it came (JSON). */
  readonly raw: Buffer;
}

export interface ImageResponse {
  readonly images: readonly ImageItem[];
  /** Pictures of the same call that were not made, and why. */
  readonly faults: readonly UpstreamMessage[];
  /** Pictures to bill, for a model billed by image. */
  readonly billedImages: number;
  readonly usage: ImageUsage | undefined;
  /** The answer as it came, parsed: what a client's format takes from it is the format's affair. */
  readonly fields: Fields;
  readonly body: Buffer;
}

/** Images by one upstream protocol. */
export interface ImageAdapter {
  /** Most images of one call; a request for more is several calls. */
  readonly maxPerCall: number;
  /** Whether references may be sent as URLs, for the upstream to fetch. */
  readonly takesUrls: boolean;
  /**
   * What an image's price may depend on, the most exact name first: `hd-1024x1024`, `1024x1024`.
   */
  priceVariants(request: ImageRequest): readonly string[];
  encode(call: ImageCall, upstream: Upstream): Omit<UpstreamCall, "stream">;
  /** @throws {UpstreamFailure} when there is no picture in the answer */
  decode(body: Buffer, call: ImageCall, upstream: Upstream): ImageResponse;
  /** Absent where pictures are not streamed. */
  openStream?(call: ImageCall, upstream: Upstream): ImageStream;
  /** What an answer with a bad status means. */
  failureOf(response: BadResponse, upstream: Upstream): UpstreamFailure;
}
