import { parseDataUrl } from "../content/data-url.ts";
import { imageInfo } from "../content/image-size.ts";

/** A base, plus an amount per tile of 512 pixels. */
interface Tiles {
  readonly base: number;
  readonly tile: number;
}

/** An amount per patch of 32 x 32 pixels. */
interface Patches {
  readonly perPatch: number;
  /** Tokens in addition to those of the patches. */
  readonly base?: number;
  /** A larger image is scaled down to this many patches. */
  readonly high: number;
  /** The same at the original resolution; absent where `original` is read as `high`. */
  readonly original?: number;
  /** Whether an image without a detail, or with `auto`, is read at its original resolution. */
  readonly originalByDefault?: true;
}

/** How a model counts an image. */
export type ImageRule = Tiles | Patches;

interface Image {
  readonly url: string;
  readonly detail?: string | undefined;
}

const unknownImage = { width: 1024, height: 1024 };
const lowSide = 512;
const patchSide = 32;

/** Tokens of an image by its header; one given by URL is not fetched and counts as 1024 x 1024. */
export function imageTokens(image: Image, rule: ImageRule = { base: 85, tile: 170 }): number {
  return "tile" in rule ? tileTokens(image, rule) : patchTokens(image, rule);
}

function imageDimensions({ url }: Image): { width: number; height: number } {
  const data = parseDataUrl(url);
  return (data && imageInfo(data.bytes)) ?? unknownImage;
}

/** OpenAI's tile rule: fit into 2048 x 2048, shortest side 768, tiles of 512. */
function tileTokens(image: Image, { base, tile }: Tiles): number {
  if (image.detail === "low") return base;
  const { width, height } = imageDimensions(image);
  const fit = Math.min(1, 2048 / Math.max(width, height));
  const scale = fit * Math.min(1, 768 / (Math.min(width, height) * fit));
  return base + tile * Math.ceil((width * scale) / 512) * Math.ceil((height * scale) / 512);
}

/** OpenAI's patch rule (developers.openai.com/api/docs/guides/images-vision), also Qwen-VL's. */
function patchTokens(image: Image, rule: Patches): number {
  const { width, height } = imageDimensions(image);
  const { detail = "auto" } = image;
  const isOriginal = detail === "original" || (detail === "auto" && rule.originalByDefault === true);
  const most = isOriginal ? (rule.original ?? rule.high) : rule.high;
  const scale = detail === "low" ? Math.min(1, lowSide / Math.max(width, height)) : 1;
  const patches = Math.ceil((width * scale) / patchSide) * Math.ceil((height * scale) / patchSide);
  return (rule.base ?? 0) + Math.ceil(Math.min(patches, most) * rule.perPatch);
}
