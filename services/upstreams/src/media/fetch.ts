import type { GuardedClient } from "@uag/kit/http/guarded.ts";
import { UrlError } from "@uag/kit/http/url-error.ts";
import { refusal } from "../conversation/refusal.ts";
import type { MediaKind, MediaSource } from "../conversation/types.ts";
import { mediaType } from "./data-url.ts";
import { sniffMediaType } from "./sniff.ts";

const timeoutMs = 15_000;
/** Gemini takes 20 MB in a request, OpenAI more; base64 adds a third. */
const mostBytes = 14 * 1024 * 1024;
/** Of one request, all together. */
const mostBytesOfRequest = 40 * 1024 * 1024;
const mostRedirects = 3;

export type InlineSource = Extract<MediaSource, { type: "inline" }>;

/** Fetches what the URLs of one request point at, for upstreams that take content only in the request itself. */
export interface MediaFetcher {
  /**
   * @param param where in the client's request the URL stands
   * @throws {UpstreamFailure} `client` when there is nothing fit at that address
   */
  fetch(url: string, kind: MediaKind, options: { param: string; signal: AbortSignal }): Promise<InlineSource>;
}

/** @param owner on whose behalf: names are looked up a few at a time for each */
export function createMediaFetcher(client: GuardedClient, owner: string): MediaFetcher {
  const call = {
    timeoutMs,
    maxBytes: mostBytes,
    maxRedirects: mostRedirects,
    owner,
    allowance: { left: mostBytesOfRequest },
  };
  return {
    async fetch(url, kind, { param, signal }) {
      let answer: Awaited<ReturnType<GuardedClient["fetch"]>>;
      try {
        answer = await client.fetch(url, { ...call, signal });
      } catch (error) {
        if (error instanceof UrlError) throw refusal(param, error.message, "invalid_url");
        throw error;
      }
      if (answer.status !== 200) throw refusal(param, `The URL answered with status ${answer.status}.`, "invalid_url");
      const declared = answer.headers["content-type"];
      const type = sniffMediaType(answer.body) ?? mediaType(typeof declared === "string" ? declared : "");
      if (!fits(type, kind)) throw refusal(param, `The URL's content is no ${kind}.`, "invalid_url");
      return { type: "inline", mediaType: type, base64: answer.body.toString("base64") };
    },
  };
}

function fits(type: string, kind: MediaKind): boolean {
  if (kind === "document") return type === "application/pdf" || type.startsWith("text/");
  return type.startsWith(`${kind}/`);
}
