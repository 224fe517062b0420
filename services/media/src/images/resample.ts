import { UpstreamFailure } from "@uag/upstreams/failure.ts";
import { type Pixels, pixelsOf } from "@uag/upstreams/images/sizes.ts";
import type { ImageAnswer, ImageItem } from "@uag/upstreams/images/types.ts";
import { sniffMediaType } from "@uag/upstreams/media/sniff.ts";
import sharp from "sharp";
import { sizeInUsage } from "./answers/alpha.ts";
import { contentOf, type Fitting } from "./fit.ts";
import type { ImageOrder } from "./order.ts";

/** What a provider draws at most (3840 x 2160), and room to spare; more is no picture of ours. */
const mostPixels = 16 * 1024 * 1024;

export interface Resampled {
  readonly images: readonly ImageItem[];
  /** What the provider drew, `WxH`, where that is not what was asked for. */
  readonly upstreamSize: string | undefined;
}

/**
 * Pictures of exactly the size that was asked for. Where the provider has no such size it drew another one, which is scaled until
 * it covers what was asked for and cut on both sides alike: nothing is distorted. Only alpha's sizes are promised to the pixel.
 * @throws {UpstreamFailure} `transient` when a picture cannot be fetched or read
 */
export async function inAskedSize(
  images: readonly ImageItem[],
  { order, answers }: { order: ImageOrder; answers: readonly ImageAnswer[] },
  fitting: Fitting,
): Promise<Resampled> {
  const asked = pixelsOf(order.request.size ?? "");
  const drawn = sizeInUsage(answers[0]?.fields ?? {});
  const fits = drawn !== undefined && drawn.width === asked?.width && drawn.height === asked.height;
  if (order.model.image?.family !== "alpha" || asked === undefined || fits) return { images, upstreamSize: undefined };
  const all = await Promise.all(images.map((image) => resampled(image, asked, fitting)));
  return { images: all.map(({ image }) => image), upstreamSize: all[0]?.drawn };
}

async function resampled(
  image: ImageItem,
  asked: Pixels,
  fitting: Fitting,
): Promise<{ image: ImageItem; drawn: string | undefined }> {
  const bytes = await contentOf(image, fitting);
  const picture = sharp(bytes, { limitInputPixels: mostPixels });
  try {
    const { width, height } = await picture.metadata();
    if (width === asked.width && height === asked.height) return { image, drawn: undefined };
    const scaled = await picture.resize({ ...asked, fit: "cover" }).toBuffer();
    const mediaType = sniffMediaType(scaled);
    return {
      image: { revisedPrompt: image.revisedPrompt, kind: "inline", base64: scaled.toString("base64"), mediaType },
      drawn: `${width}x${height}`,
    };
  } catch (cause) {
    throw new UpstreamFailure("transient", "the upstream's picture cannot be read", { status: 200, cause });
  }
}
