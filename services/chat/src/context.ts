import type { CapabilityContext } from "@uag/capability/context.ts";
import { createMediaFetcher, type MediaFetcher } from "@uag/upstreams/media/fetch.ts";

/** What every operation of the service works with. */
export interface ChatContext extends CapabilityContext {
  /** Fetches what a request only gives the address of, for upstreams that want the content. */
  readonly media: MediaFetcher;
}

export function chatContext(context: CapabilityContext): ChatContext {
  return { ...context, media: createMediaFetcher(context.guarded) };
}
