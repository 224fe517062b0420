import type { Model } from "@uag/catalog/types";
import { refusal } from "@uag/providers/conversation/refusal";
import { maxDeltaBytes } from "../as-png.ts";
import { invalid } from "../families/schema.ts";
import { inspectImage, type Picture } from "../inspect.ts";
import type { Form } from "./form.ts";

/** `image`, `image[]` or `image[0]`: SDKs differ. */
const imageField = /^image(?:\[\d*\])?$/;
const maxMaskBytes = 4 * 1024 * 1024;
/** Decoding a larger image would cost more than the edit. */
const maxConvertedLength = 4_096;

export interface EditPictures {
  readonly images: readonly Picture[];
  readonly mask: Picture | undefined;
}

/**
 * Reads and inspects the images of an edit.
 * @throws {GatewayError | UpstreamFailure} naming the field; `invalid_mask` for a mask that does
 * not fit
 */
export function readPictures({ files, fields }: Form, model: Model): EditPictures {
  const images = files.filter(({ field }) => imageField.test(field));
  const masks = files.filter(({ field }) => field === "mask");
  const stray = files.find((file) => !images.includes(file) && !masks.includes(file));
  if (stray !== undefined) throw invalid(stray.field.slice(0, 100) || "(no name)", "is not a file field of this form");
  if (fields.has("image") || fields.has("image[]")) throw invalid("image", "must be a file");
  if (fields.has("mask")) throw invalid("mask", "must be a file");
  const { min, max } = model.image?.references ?? { min: 1, max: 1 };
  if (images.length < Math.max(1, min)) throw invalid("image", "is required");
  if (images.length > max) throw invalid("image", max === 1 ? "must be one file" : `must be at most ${max} files`);
  const looked = images.map(({ bytes }, index) =>
    inspectImage(bytes, images.length === 1 ? "image" : `image[${index}]`),
  );
  if (model.image?.family === "delta") checkDelta(looked[0] as Picture);
  if (masks.length > 1) throw invalid("mask", "must be one file");
  const [mask] = masks;
  return { images: looked, mask: mask && readMask(mask.bytes, looked[0] as Picture, model) };
}

function readMask(bytes: Buffer, image: Picture, model: Model): Picture {
  const wrong = (message: string): Error => refusal("mask", message, "invalid_mask");
  if (model.image?.mask !== true) throw wrong("This model does not accept a mask.");
  if (bytes.length > maxMaskBytes) throw wrong("The mask must be smaller than 4 MB.");
  const mask = inspectImage(bytes, "mask");
  if (mask.mediaType !== "image/png") throw wrong("The mask must be a PNG.");
  if (mask.width !== image.width || mask.height !== image.height) {
    const sizes = `${mask.width}x${mask.height}, the image ${image.width}x${image.height}`;
    throw wrong(`The mask must be of the same size as the image: it is ${sizes}.`);
  }
  if (!mask.alpha) throw wrong("The mask must have an alpha channel; its transparent area is what is edited.");
  return mask;
}

/**
 * DALL-E 2 accepts a square PNG of less than 4 MB (API reference, images); JPEG and WebP are
 * converted after admission.
 */
function checkDelta({ mediaType, bytes, width, height }: Picture): void {
  const wrong = (message: string): Error => refusal("image", message, "unsupported_image_format");
  if (width !== height) throw wrong("This model accepts only square images.");
  if (mediaType === "image/png" && bytes.length >= maxDeltaBytes)
    throw wrong("This model accepts PNG files of less than 4 MB.");
  if (mediaType !== "image/png" && width > maxConvertedLength)
    throw wrong(`This model accepts JPEG and WebP of at most ${maxConvertedLength} pixels a side.`);
}
