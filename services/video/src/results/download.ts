import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { withoutMark } from "@uag/providers/reading/body-kind";
import type { BufferLease } from "@uag/untrusted/buffer-budget";
import type { GuardedClient, GuardedResponse } from "@uag/untrusted/http/guarded";
import { UrlError, type UrlFault } from "@uag/untrusted/http/url-error";
import { fileFault } from "./container.ts";

/** The largest file that is kept, bytes. */
const maxBytes = 256 * 1024 * 1024;
const maxRedirects = 3;
/** A compressed video expands by less than this factor: more is a bomb. */
const maxExpansion = 10;

/** Why a result was not downloaded. */
export class DownloadFault extends Error {
  override readonly name = "DownloadFault";
  /** The HTTP status; 0 without one. */
  readonly status: number;
  /** The URL has no video for anyone, unless its provider's servers lag behind each other. */
  readonly isMissing: boolean;

  constructor(message: string, options: { status?: number; isMissing: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.status = options.status ?? 0;
    this.isMissing = options.isMissing;
  }
}

export interface VideoFile {
  /** `video/...` */
  readonly contentType: string;
  readonly bytes: Buffer;
}

type TakeBytes = (bytes: number) => Promise<void> | undefined;

/** Where a result is, and what its download may use. */
export interface Download {
  readonly url: string;
  /** For the whole download, the wait for memory included. */
  readonly timeoutMs: number;
  /** Accounts for the file's bytes while they are held. */
  readonly lease: BufferLease;
}

/**
 * Downloads a result and checks that it is a complete video. While there is no memory for it, it is
 * not read on.
 * @throws {DownloadFault}
 */
export async function downloadVideo(guarded: Pick<GuardedClient, "fetch">, download: Download): Promise<VideoFile> {
  const signal = AbortSignal.timeout(download.timeoutMs);
  const take = (bytes: number): Promise<void> | undefined => download.lease.grow(bytes, signal);
  const response = await fetched(guarded, { ...download, take });
  const { status } = response;
  if (status !== 200)
    throw new DownloadFault(`its URL returned status ${status}`, { status, isMissing: isGone(status) });
  const bytes = withoutMark(await decoded(response, take));
  const contentType = textIn(response, "content-type").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const fault = fileFault(bytes, contentType);
  if (fault === "no_video") throw new DownloadFault("its URL returned no video", { status, isMissing: true });
  if (fault === "incomplete") throw new DownloadFault("its file is incomplete", { status, isMissing: false });
  return { contentType: contentType.startsWith("video/") ? contentType : "video/mp4", bytes };
}

/** Faults of a URL that are the same for everyone. */
const lasting: ReadonlySet<UrlFault> = new Set(["invalid_url", "address_refused", "too_many_redirects"]);

async function fetched(
  guarded: Pick<GuardedClient, "fetch">,
  { url, timeoutMs, take }: Download & { readonly take: TakeBytes },
): Promise<GuardedResponse> {
  try {
    // A compressed video is no smaller.
    const headers = { "accept-encoding": "identity" };
    return await guarded.fetch(url, { timeoutMs, maxBytes, maxRedirects, headers, take });
  } catch (cause) {
    if (!(cause instanceof UrlError)) throw cause;
    throw new DownloadFault(cause.message.replace(/\.$/, ""), { isMissing: lasting.has(cause.fault), cause });
  }
}

/** Other statuses may pass: a busy server, a timeout. */
const isGone = (status: number): boolean => status < 500 && ![408, 425, 429].includes(status);

const decoders = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
} as const;

async function decoded(response: GuardedResponse, take: TakeBytes): Promise<Buffer> {
  const { body, status } = response;
  const encoding = textIn(response, "content-encoding").trim().toLowerCase() || "identity";
  if (encoding === "identity") return body;
  if (!Object.hasOwn(decoders, encoding))
    throw new DownloadFault(`its encoding ${encoding.slice(0, 40)} is unknown`, { status, isMissing: false });
  const maxOutputLength = Math.min(maxBytes, body.length * maxExpansion);
  await take(maxOutputLength);
  try {
    return await decoders[encoding as keyof typeof decoders](body, { maxOutputLength });
  } catch (cause) {
    const isBomb = (cause as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    const message = isBomb
      ? `its ${encoding} body expands to more than ${maxOutputLength} bytes`
      : `its ${encoding} body is damaged`;
    throw new DownloadFault(message, { status, isMissing: isBomb, cause });
  }
}

function textIn({ headers }: GuardedResponse, name: string): string {
  const value = headers[name];
  return typeof value === "string" ? value : "";
}
