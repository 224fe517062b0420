import type { CapabilityContext } from "@uag/pipeline/context";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import { createMediaFetcher, type MediaFetcher } from "@uag/providers/media/fetch";

/** The dependencies of every operation of the service. */
export interface ChatContext extends CapabilityContext {
  /** Fetches content that one request references by URL, for upstreams that need it inline. */
  media(caller: Caller): MediaFetcher & Disposable;
}

export function chatContext(context: CapabilityContext): ChatContext {
  return { ...context, media: (caller) => createMediaFetcher(context.urls.open(caller)) };
}
