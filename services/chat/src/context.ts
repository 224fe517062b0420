import type { CapabilityContext } from "@uag/pipeline/context";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import { createMediaFetcher, type MediaFetcher } from "@uag/providers/media/fetch";
import type { Background } from "./background/start.ts";
import type { ResponseStore } from "./state/store.ts";

/** The dependencies of every operation of the service. */
export interface ChatContext extends CapabilityContext {
  /** The responses of accounts that store them; undefined: there is no database for them. */
  readonly stored: ResponseStore | undefined;
  /** Responses that are made in the background; undefined: none are. */
  readonly background: Background | undefined;
  /** Fetches content that one request references by URL, for upstreams that need it inline. */
  media(caller: Caller): MediaFetcher & Disposable;
}

export function chatContext(context: CapabilityContext, stored?: ResponseStore): ChatContext {
  return {
    ...context,
    stored,
    background: undefined,
    media: (caller) => createMediaFetcher(context.urls.open(caller)),
  };
}
