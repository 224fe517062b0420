import { refusal } from "../conversation/refusal.ts";
import type { MediaPart } from "../conversation/types.ts";
import type { InlineSource, MediaFetcher } from "./fetch.ts";

/**
 * The content itself, fetched if only its URL is given.
 * @throws {UpstreamFailure} `client` when it cannot be fetched
 */
export async function inlineMedia(
  part: MediaPart,
  media: MediaFetcher | undefined,
  signal: AbortSignal,
): Promise<InlineSource> {
  const { source, kind, param } = part;
  if (source.type === "inline") return source;
  if (media === undefined) throw refusal(param, `This model accepts ${kind} only as base64.`);
  return await media.fetch(source.url, kind, { param, signal });
}
