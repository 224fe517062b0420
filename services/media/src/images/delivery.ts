import type { LinkExchange } from "@uag/link/server-exchange";
import { UpstreamFailure, unusableResponse } from "@uag/providers/failure";
import type { ImageItem, ImageRequest } from "@uag/providers/images/types";
import { sniffMediaType } from "@uag/providers/media/sniff";
import { UrlError } from "@uag/untrusted/http/url-error";
import type { ResponseMemory } from "@uag/untrusted/response-memory";
import type { MediaContext } from "../context.ts";

const fetchTimeoutMs = 60_000;
const maxPictureBytes = 64 * 1024 * 1024;

/** Dependencies of delivering images. */
export interface Delivery {
  readonly exchange: LinkExchange;
  readonly context: MediaContext;
  /** Accounts for fetched images. */
  readonly memory: ResponseMemory;
}

/**
 * Converts images to the requested delivery: inline ones are hosted if URLs are wanted, and linked
 * ones fetched if content is. Returns the same list if nothing needs converting.
 * @throws {UpstreamFailure} when an image cannot be fetched
 */
export async function delivered(
  images: readonly ImageItem[],
  wanted: ImageRequest["delivery"],
  delivery: Delivery,
): Promise<readonly ImageItem[]> {
  if (images.every(({ kind }) => kind === wanted)) return images;
  return await Promise.all(
    images.map((image) => {
      if (image.kind === wanted) return image;
      return image.kind === "inline" ? hosted(image, delivery) : fetched(image, delivery);
    }),
  );
}

type Inline = Extract<ImageItem, { kind: "inline" }>;
type Linked = Extract<ImageItem, { kind: "url" }>;

async function hosted({ base64, mediaType, ...rest }: Inline, { context }: Delivery): Promise<ImageItem> {
  const bytes = Buffer.from(base64, "base64");
  const type = sniffMediaType(bytes) ?? mediaType ?? "image/png";
  const { url } = await context.assets.host(type, pieces(bytes));
  return { ...rest, kind: "url", url };
}

/** The store takes a stream, so that a large file is never copied a second time. */
async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  const pieceBytes = 256 * 1024;
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

/**
 * An image's content, inline or fetched.
 * @throws {UpstreamFailure} when it cannot be fetched
 */
export function contentOf(image: ImageItem, delivery: Delivery): Promise<Buffer> {
  return image.kind === "inline"
    ? Promise.resolve(Buffer.from(image.base64, "base64"))
    : fetchedFile(image.url, delivery);
}

async function fetched({ url, ...rest }: Linked, delivery: Delivery): Promise<ImageItem> {
  const body = await fetchedFile(url, delivery);
  const mediaType = sniffMediaType(body);
  // A page or an error under status 200 is not passed on as an image.
  if (mediaType?.startsWith("image/") !== true) throw unusableResponse("an image's URL did not return an image");
  return { ...rest, kind: "inline", base64: body.toString("base64"), mediaType };
}

async function fetchedFile(url: string, { context, exchange, memory }: Delivery): Promise<Buffer> {
  const { signal } = exchange;
  try {
    const take = (bytes: number): Promise<void> | undefined => memory.take(bytes, signal);
    const call = { timeoutMs: fetchTimeoutMs, maxBytes: maxPictureBytes, maxRedirects: 2, take, signal };
    const { status, body } = await context.guarded.fetch(url, call);
    if (status !== 200) throw new UpstreamFailure("transient", `an image URL returned status ${status}`);
    return body;
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    if (signal.aborted) throw new UpstreamFailure("cancelled", "the call was aborted", { cause: error });
    throw new UpstreamFailure("transient", "an image URL could not be fetched", { cause: error });
  }
}
