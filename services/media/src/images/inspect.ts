import { refusal } from "@uag/providers/conversation/refusal";
import type { InlineImage } from "@uag/providers/images/types";
import { imageSize } from "image-size";
import { isWholeJpeg, isWholeWebp, type PngHead, readPng } from "./file-formats.ts";

/**
 * No model accepts larger images; a file that declares more is treated as a decompression bomb and
 * never decoded.
 */
const maxPixels = 64 * 1024 * 1024;
const maxSide = 16_384;

/** An inspected image: type by content, size by header. Nothing is decoded. */
export interface Picture extends InlineImage {
  readonly width: number;
  readonly height: number;
  /** Whether it can have transparent pixels; known for PNG only. */
  readonly alpha: boolean;
}

const supported = "Supported formats are PNG, JPEG and WebP.";

/**
 * @param param the request's field, for the user
 * @throws {UpstreamFailure} `client`, code `unsupported_image_format` or `invalid_image`
 */
export function inspectImage(bytes: Buffer, param: string): Picture {
  if (bytes.length === 0) throw refusal(param, "The file is empty.", "invalid_image");
  const mediaType = typeOf(bytes);
  if (mediaType === undefined)
    throw refusal(param, `The file is not an image. ${supported}`, "unsupported_image_format");
  const { width, height, whole, alpha } = headOf(bytes, mediaType);
  if (width === 0 || height === 0) throw refusal(param, "The file's header cannot be read.", "invalid_image");
  if (width > maxSide || height > maxSide || width * height > maxPixels) {
    throw refusal(param, `The image is too large: ${width} x ${height} pixels.`, "invalid_image");
  }
  if (!whole) throw refusal(param, "The file is truncated or damaged.", "invalid_image");
  return { type: "inline", mediaType, bytes, width, height, alpha };
}

function typeOf(bytes: Buffer): string | undefined {
  const head = bytes.toString("latin1", 0, 12);
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  return head.startsWith("RIFF") && head.endsWith("WEBP") ? "image/webp" : undefined;
}

function headOf(bytes: Buffer, mediaType: string): PngHead {
  if (mediaType === "image/png") return readPng(bytes);
  const whole = mediaType === "image/jpeg" ? isWholeJpeg(bytes) : isWholeWebp(bytes);
  try {
    const { width, height } = imageSize(bytes);
    return { width, height, whole, alpha: false };
  } catch {
    // The library throws many kinds of errors for files it cannot read.
    return { width: 0, height: 0, whole: false, alpha: false };
  }
}
