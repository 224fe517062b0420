import type { ImageRequest } from "@uag/providers/images/types";
import type { UrlAllowance } from "@uag/providers/media/url-fetches";
import { withPng } from "./as-png.ts";
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
  const inline = adapter.takesUrls ? job.request : await withContent(job.request, fetching);
  const request = model.image?.family === "delta" ? await withPng(inline) : inline;
  return { ...job, request };
}

/** Replaces the request's image URLs by their content. */
async function withContent(request: ImageRequest, fetching: Fetching): Promise<ImageRequest> {
  const { references } = request;
  if (references.every(({ type }) => type === "inline")) return request;
  return {
    ...request,
    references: await Promise.all(references.map((source) => contentOf(source, "image", fetching))),
  };
}
