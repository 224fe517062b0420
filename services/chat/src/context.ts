import type { CapabilityContext } from "@uag/capability/context.ts";
import { createMediaFetcher, type MediaFetcher } from "@uag/upstreams/media/fetch.ts";

/** What every operation of the service works with. */
export interface ChatContext extends CapabilityContext {
  /** Fetches what one request of an account only gives the address of, for upstreams that want the content. */
  media(accountId: string): MediaFetcher;
}

export function chatContext(context: CapabilityContext): ChatContext {
  return { ...context, media: (accountId) => createMediaFetcher(context.guarded, accountId) };
}
