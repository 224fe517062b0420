import type { Model } from "@uag/catalog/types";
import type { Form, UploadedFile } from "@uag/pipeline/request/form";
import { refusal } from "@uag/providers/conversation/refusal";
import type { ImageSource } from "@uag/providers/images/types";
import type { GuardedClient } from "@uag/untrusted/http/guarded";
import { maxDeltaBytes } from "../as-png.ts";
import { invalid } from "../families/schema.ts";
import { inspectImage, type Picture } from "../inspect.ts";
import { sourceOf } from "../sources.ts";

/** `image`, `image[]` or `image[0]`: SDKs differ. */
const imageField = /^image(?:\[\d*\])?$/;
const maxMaskBytes = 4 * 1024 * 1024;
/** Decoding a larger image would cost more than the edit. */
const maxConvertedLength = 4_096;

/** The images of an edit, and its mask: files, or URLs whose content is fetched after admission. */
export interface EditPictures {
  readonly images: readonly ImageSource[];
  readonly mask: ImageSource | undefined;
}

/** Whether a form's field is for a file. */
export const isFileField = (name: string): boolean => name === "mask" || imageField.test(name);

/**
 * Reads the images of an edit, and inspects those that are files.
 * @throws {GatewayError | UpstreamFailure} naming the field; `invalid_mask` for a mask that does
 * not fit
 */
export function readPictures({ files }: Form, model: Model, guarded: GuardedClient): EditPictures {
  const given = files.filter(({ field }) => imageField.test(field));
  const masks = files.filter(({ field }) => field === "mask");
  const stray = files.find(({ field }) => !isFileField(field));
  if (stray !== undefined) throw invalid(stray.field.slice(0, 100) || "(no name)", "is not a file field of this form");
  const { min, max } = model.image?.references ?? { min: 1, max: 1 };
  if (given.length < Math.max(1, min)) throw invalid("image", "is required");
  if (given.length > max) throw invalid("image", max === 1 ? "must be one file" : `must be at most ${max} files`);
  const sourceOfFile = (file: (typeof files)[number], param: string): ImageSource =>
    "url" in file ? sourceOf(file.url, param, guarded) : inspectImage(bytesOf(file), param);
  const images = given.map((file, index) => sourceOfFile(file, given.length === 1 ? "image" : `image[${index}]`));
  if (masks.length > 1) throw invalid("mask", "must be one file");
  const [file] = masks;
  if (file !== undefined && model.image?.mask !== true) throw wrongMask("This model does not accept a mask.");
  const mask = file && sourceOfFile(file, "mask");
  checkPictures({ images, mask }, model);
  return { images, mask };
}

function bytesOf({ chunks, size }: UploadedFile): Buffer {
  return Buffer.concat(chunks, size);
}

const isPicture = (source: ImageSource | undefined): source is Picture =>
  source?.type === "inline" && "width" in source;

/**
 * Checks the image and the mask, each if its content is known.
 * @throws {UpstreamFailure} `client`, for an image or a mask that the model does not accept
 */
export function checkPictures({ images: [image], mask }: EditPictures, model: Model): void {
  if (model.image?.family === "delta" && isPicture(image)) checkDelta(image);
  if (isPicture(mask)) checkMask(mask, isPicture(image) ? image : undefined);
}

const wrongMask = (message: string): Error => refusal("mask", message, "invalid_mask");

function checkMask(mask: Picture, image: Picture | undefined): void {
  if (mask.bytes.length > maxMaskBytes) throw wrongMask("The mask must be smaller than 4 MB.");
  if (mask.mediaType !== "image/png") throw wrongMask("The mask must be a PNG.");
  if (!mask.alpha) throw wrongMask("The mask must have an alpha channel; its transparent area is what is edited.");
  if (image === undefined || (mask.width === image.width && mask.height === image.height)) return;
  const sizes = `${mask.width}x${mask.height}, the image ${image.width}x${image.height}`;
  throw wrongMask(`The mask must be of the same size as the image: it is ${sizes}.`);
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
