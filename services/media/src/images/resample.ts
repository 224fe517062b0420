import { UpstreamFailure } from "@uag/providers/failure";
import { type Pixels, pixelsOf } from "@uag/providers/images/sizes";
import type { ImageItem, ImageResponse } from "@uag/providers/images/types";
import { sniffMediaType } from "@uag/providers/media/sniff";
import sharp from "sharp";
import { contentOf, type Delivery } from "./delivery.ts";
import type { ImageJob } from "./job.ts";
import { sizeInUsage } from "./responses/alpha.ts";

/** The maximum a provider generates (3840 x 2160), with some margin; a larger image is not ours. */
const maxPixels = 16 * 1024 * 1024;

export interface Resampled {
  readonly images: readonly ImageItem[];
  /** The size the provider generated, `WxH`, if it differs from the requested one. */
  readonly upstreamSize: string | undefined;
}

/**
 * Resamples images to exactly the requested size. If the provider does not support it, it generated
 * another one, which is scaled to cover the requested size and cropped evenly on both sides,
 * without distortion. Only alpha's sizes are guaranteed to the pixel.
 * @throws {UpstreamFailure} `transient` when an image cannot be fetched or read
 */
export async function inRequestedSize(
  images: readonly ImageItem[],
  { job, responses }: { job: ImageJob; responses: readonly ImageResponse[] },
  delivery: Delivery,
): Promise<Resampled> {
  const requested = pixelsOf(job.request.size ?? "");
  const drawn = sizeInUsage(responses[0]?.fields ?? {});
  const fits = drawn !== undefined && drawn.width === requested?.width && drawn.height === requested.height;
  if (job.model.image?.family !== "alpha" || requested === undefined || fits)
    return { images, upstreamSize: undefined };
  const all = await Promise.all(images.map((image) => resampled(image, requested, delivery)));
  return { images: all.map(({ image }) => image), upstreamSize: all[0]?.drawn };
}

async function resampled(
  image: ImageItem,
  requested: Pixels,
  delivery: Delivery,
): Promise<{ image: ImageItem; drawn: string | undefined }> {
  const bytes = await contentOf(image, delivery);
  const picture = sharp(bytes, { limitInputPixels: maxPixels });
  try {
    const { width, height } = await picture.metadata();
    if (width === requested.width && height === requested.height) return { image, drawn: undefined };
    const scaled = await picture.resize({ ...requested, fit: "cover" }).toBuffer();
    const mediaType = sniffMediaType(scaled);
    return {
      image: { revisedPrompt: image.revisedPrompt, kind: "inline", base64: scaled.toString("base64"), mediaType },
      drawn: `${width}x${height}`,
    };
  } catch (cause) {
    throw new UpstreamFailure("transient", "the upstream's image is unreadable", { status: 200, cause });
  }
}
