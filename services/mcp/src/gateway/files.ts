import type { GuardedClient } from "@uag/untrusted/http/guarded";
import { bytesWithin, type PublicApi } from "./public-api.ts";

const timeoutMs = 30_000;
const maxRedirects = 3;

export interface File {
  readonly bytes: Buffer;
  readonly mimeType: string;
}

export interface FileRequest {
  readonly key: string;
  /** The caller: names are resolved a few at a time for each. */
  readonly owner: string;
  /** Bytes. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** The parts of {@link Files}. */
export interface FilesOptions {
  readonly api: PublicApi;
  readonly guarded: GuardedClient;
  readonly publicUrl: string;
}

/**
 * Fetches the URLs in responses: our own files from the gateway, all others with a client that
 * connects only to the public internet. URLs of clients are passed on to the gateway, which has a
 * budget for them.
 */
export class Files {
  readonly #api: PublicApi;
  readonly #guarded: GuardedClient;
  readonly #publicOrigin: string;

  constructor({ api, guarded, publicUrl }: FilesOptions) {
    this.#api = api;
    this.#guarded = guarded;
    this.#publicOrigin = new URL(publicUrl).origin;
  }

  /** Whether a URL is that of a file of the gateway. */
  isOwn(url: string): boolean {
    const parsed = URL.parse(url);
    return parsed?.origin === this.#publicOrigin && parsed.pathname.startsWith("/assets/");
  }

  /**
   * @throws {UrlError} for a URL that leads inside, does not respond, or is too long
   * @throws {RangeError} when a file of ours is longer than the limit
   * @throws {ApiError} when the gateway has no such file
   */
  async fetch(url: string, { key, owner, limit, signal }: FileRequest): Promise<File> {
    if (this.isOwn(url)) {
      const response = await this.#api.call(key, { method: "GET", path: new URL(url).pathname, signal });
      const bytes = await bytesWithin(response, limit);
      return { bytes, mimeType: response.headers.get("content-type") ?? unknown };
    }
    const call = { timeoutMs, maxBytes: limit, maxRedirects, owner, signal };
    const { status, headers, body } = await this.#guarded.fetch(url, call);
    if (status !== 200) throw new RangeError(`the URL returned status ${status}`);
    return { bytes: body, mimeType: String(headers["content-type"] ?? unknown) };
  }
}

const unknown = "application/octet-stream";
