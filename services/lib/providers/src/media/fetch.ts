import type { GuardedResponse } from "@uag/untrusted/http/guarded";
import { UrlError } from "@uag/untrusted/http/url-error";
import { refusal } from "../conversation/refusal.ts";
import type { MediaKind, MediaSource } from "../conversation/types.ts";
import { mediaType } from "./data-url.ts";
import { sniffMediaType } from "./sniff.ts";
import type { UrlAllowance } from "./url-fetches.ts";

const timeoutMs = 15_000;
/** Gemini accepts 20 MB per request, OpenAI more; base64 adds a third. */
const maxBytes = 14 * 1024 * 1024;
const maxRedirects = 3;

export type InlineSource = Extract<MediaSource, { type: "inline" }>;

/** Fetches the URLs of one request, for upstreams that only accept inline content. */
export interface MediaFetcher {
  /**
   * @param param the URL's path in the client's request
   * @throws {UpstreamFailure} `client` when nothing suitable is found there
   */
  fetch(url: string, kind: MediaKind, options: { param: string; signal: AbortSignal }): Promise<InlineSource>;
}

/**
 * Creates the fetcher of one request. Content needed by several attempts is fetched once, and kept
 * until disposal.
 */
export function createMediaFetcher(urls: UrlAllowance): MediaFetcher & Disposable {
  const known = new Map<string, Promise<InlineSource>>();
  return {
    fetch(url, kind, options) {
      const id = `${kind} ${url}`;
      const fetched = known.get(id) ?? fetchMedia(urls, { url, kind, ...options });
      known.set(id, fetched);
      // Lets a later attempt try again.
      fetched.catch(() => known.delete(id));
      return fetched;
    },
    [Symbol.dispose]() {
      known.clear();
      urls[Symbol.dispose]();
    },
  };
}

interface MediaFetch {
  readonly url: string;
  readonly kind: MediaKind;
  readonly param: string;
  readonly signal: AbortSignal;
}

async function fetchMedia(urls: UrlAllowance, { url, kind, param, signal }: MediaFetch): Promise<InlineSource> {
  let response: GuardedResponse;
  try {
    response = await urls.fetch(url, { timeoutMs, maxBytes, maxRedirects, signal });
  } catch (error) {
    if (error instanceof UrlError) throw refusal(param, error.message, "invalid_url");
    throw error;
  }
  if (response.status !== 200) throw refusal(param, `The URL returned status ${response.status}.`, "invalid_url");
  const declared = response.headers["content-type"];
  const type = sniffMediaType(response.body) ?? mediaType(typeof declared === "string" ? declared : "");
  if (!fits(type, kind)) throw refusal(param, `The URL's content is not ${kind}.`, "invalid_url");
  return { type: "inline", mediaType: type, base64: response.body.toString("base64") };
}

function fits(type: string, kind: MediaKind): boolean {
  if (kind === "document") return type === "application/pdf" || type.startsWith("text/");
  return type.startsWith(`${kind}/`);
}
