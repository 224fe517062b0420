import { GatewayError } from "@uag/contract/errors/gateway-error";
import { refusal } from "@uag/providers/conversation/refusal";
import type { ImageSource, InlineImage } from "@uag/providers/images/types";
import type { UrlAllowance } from "@uag/providers/media/url-fetches";
import type { GuardedClient } from "@uag/untrusted/http/guarded";
import { UrlError } from "@uag/untrusted/http/url-error";
import { inspectImage } from "./inspect.ts";

const dataUrl = /^data:image\/[a-z0-9.+-]+;base64,/i;
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;
const fetchTimeoutMs = 20_000;
const maxFetchedBytes = 20 * 1024 * 1024;
const maxRedirects = 3;

/**
 * Reads an image reference in a request: an https URL, or a data URL, whose content is inspected.
 * @throws {GatewayError | UpstreamFailure} naming `param`
 */
export function sourceOf(text: string, param: string, guarded: GuardedClient): ImageSource {
  if (text.slice(0, 5).toLowerCase() === "data:") return inlined(text, param);
  checkUrl(text, param, guarded);
  return { type: "url", url: text };
}

/** @throws {GatewayError} `invalid_request` for a URL that the guard refuses */
export function checkUrl(url: string, param: string, guarded: GuardedClient): void {
  try {
    guarded.parse(url);
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    throw new GatewayError("invalid_request", `${param}: ${error.message}`, { param, cause: error });
  }
}

function inlined(text: string, param: string): InlineImage {
  const match = dataUrl.exec(text);
  const content = match === null ? "" : text.slice(match[0].length);
  if (match === null || content.length % 4 !== 0 || !base64.test(content)) {
    throw refusal(param, "must be a data URL of the form data:image/<type>;base64,<data>.", "invalid_image");
  }
  return inspectImage(Buffer.from(content, "base64"), param);
}

/**
 * The content of a source, fetched if it is a URL.
 * @throws {UpstreamFailure} `client` when there is no valid image
 */
export async function contentOf(
  source: ImageSource,
  param: string,
  { urls, signal }: { urls: UrlAllowance; signal: AbortSignal },
): Promise<InlineImage> {
  if (source.type === "inline") return source;
  try {
    const call = { timeoutMs: fetchTimeoutMs, maxBytes: maxFetchedBytes, maxRedirects, signal };
    const { status, body } = await urls.fetch(source.url, call);
    if (status !== 200) throw refusal(param, `The URL returned status ${status}.`, "invalid_url");
    return inspectImage(body, param);
  } catch (error) {
    if (error instanceof UrlError) throw refusal(param, error.message, "invalid_url");
    throw error;
  }
}
