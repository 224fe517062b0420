import type { Model } from "@uag/catalog/types";
import type { ImageRequest, InlineImage } from "@uag/providers/images/types";
import type { UrlAllowance } from "@uag/providers/media/url-fetches";
import { withPng } from "./as-png.ts";
import { checkPictures } from "./edits/pictures.ts";
import type { ImageJob } from "./job.ts";
import { contentOf } from "./sources.ts";

interface Fetching {
  readonly urls: UrlAllowance;
  readonly signal: AbortSignal;
}

/**
 * The job with its images in the form that the upstream accepts.
 * @throws {UpstreamFailure} `client` for an image that cannot be fetched or read
 */
export async function prepared(job: ImageJob, fetching: Fetching): Promise<ImageJob> {
  const { model, adapter } = job;
  const inline = adapter.takesUrls ? job.request : await withContent(job.request, model, fetching);
  const request = model.image?.family === "delta" ? await withPng(inline) : inline;
  return { ...job, request };
}

/** Replaces the request's image URLs by their content. */
async function withContent(request: ImageRequest, model: Model, fetching: Fetching): Promise<ImageRequest> {
  const { references, mask } = request;
  if ([...references, mask].every((source) => source?.type !== "url")) return request;
  const [fetchedMask, ...images] = await Promise.all([
    mask && contentOf(mask, "mask", fetching),
    ...references.map((source) => contentOf(source, "image", fetching)),
  ]);
  const content = { ...request, references: images as readonly InlineImage[], mask: fetchedMask };
  checkPictures({ images: content.references, mask: fetchedMask }, model);
  return content;
}
