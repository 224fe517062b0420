import { refusal } from "@uag/providers/conversation/refusal";
import type { ImageRequest, InlineImage } from "@uag/providers/images/types";
import sharp from "sharp";

/**
 * DALL-E 2 accepts files of less than 4 MB (API reference, images), and generates nothing larger
 * than this.
 */
export const maxDeltaBytes = 4 * 1024 * 1024;
const deltaSide = 1_024;

const png = "image/png";

async function convert(image: InlineImage, side?: number): Promise<InlineImage> {
  const picture = side === undefined ? sharp(image.bytes) : sharp(image.bytes).resize(side, side, { fit: "fill" });
  try {
    return { type: "inline", mediaType: png, bytes: await picture.png().toBuffer() };
  } catch (cause) {
    throw Object.assign(refusal("image", "The file is truncated or damaged.", "invalid_image"), { cause });
  }
}

/**
 * Converts the square image of a request, with its alpha, for a model that only accepts PNG. If the
 * result is too large, it is scaled down, and the mask with it.
 * @throws {UpstreamFailure} `client`, `invalid_image`, when the image cannot be decoded
 */
export async function withPng(request: ImageRequest): Promise<ImageRequest> {
  const [picture] = request.references;
  if (picture?.type !== "inline" || picture.mediaType === png) return request;
  const converted = await convert(picture);
  if (converted.bytes.length < maxDeltaBytes) return { ...request, references: [converted] };
  const mask = request.mask?.type === "inline" ? await convert(request.mask, deltaSide) : undefined;
  return { ...request, references: [await convert(picture, deltaSide)], mask };
}
