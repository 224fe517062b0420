import type { GuardedClient } from "@uag/untrusted/http/guarded";
import { UrlError } from "@uag/untrusted/http/url-error";
import type { ResponseMemory } from "@uag/untrusted/response-memory";
import { UpstreamFailure } from "../failure.ts";

const timeoutMs = 60_000;
/** Some twenty minutes of 24 kHz, 16 bits, one channel. */
const maxBytes = 64 * 1024 * 1024;

interface AudioFetch {
  readonly signal: AbortSignal;
  /** Accounts for the audio. */
  readonly memory: ResponseMemory;
}

/** Fetches audio from a URL returned by an upstream. */
export interface AudioFetcher {
  /** @throws {UpstreamFailure} `transient`: nothing has reached the client by then */
  fetch(url: string, options: AudioFetch): Promise<Buffer>;
}

/** Plain http is upgraded to https: DashScope returns http URLs, and its storage serves both. */
export function createAudioFetcher(client: GuardedClient): AudioFetcher {
  return {
    async fetch(url, { signal, memory }) {
      try {
        const take = (bytes: number): Promise<void> | undefined => memory.take(bytes, signal);
        const response = await client.fetch(securedUrl(url, client), { timeoutMs, maxBytes, take, signal });
        if (response.status === 200) return response.body;
        throw new UpstreamFailure("transient", `the audio URL returned status ${response.status}`, { status: 200 });
      } catch (error) {
        if (!(error instanceof UrlError)) throw error;
        if (signal.aborted) throw new UpstreamFailure("cancelled", "the call was aborted", { cause: error });
        throw new UpstreamFailure("transient", "the audio could not be fetched", { status: 200, cause: error });
      }
    },
  };
}

function securedUrl(url: string, client: GuardedClient): string {
  try {
    return client.parse(url).href;
  } catch (error) {
    if (error instanceof UrlError && url.startsWith("http:")) return url.replace("http:", "https:");
    throw error;
  }
}
