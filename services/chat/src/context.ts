import type { CapabilityContext } from "@uag/capability/context.ts";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import { createMediaFetcher, type MediaFetcher } from "@uag/upstreams/media/fetch.ts";

/** What every operation of the service works with. */
export interface ChatContext extends CapabilityContext {
  /**
   * Fetches what one request of a caller only gives the address of, for upstreams that want the
   * content.
   */
  media(caller: Caller): MediaFetcher & Disposable;
}

export function chatContext(context: CapabilityContext): ChatContext {
  return { ...context, media: (caller) => createMediaFetcher(context.urls.open(caller)) };
}
