import type { Provider } from "@uag/catalog/types";

/** The version this adapter was written for, and the default for clients that send none. */
const defaultVersion = "2023-06-01";

/**
 * The provider's headers, then the client's own: those belong to fields of the body, so they are
 * passed on unchanged.
 * @param passed names and values alternating
 */
export function anthropicHeaders(provider: Provider, requestId: string, passed: readonly string[]): string[] {
  const headers = ["content-type", "application/json", "accept-encoding", "identity"];
  if (provider.apiKey !== "") headers.unshift("x-api-key", provider.apiKey);
  headers.push("x-client-request-id", requestId, ...provider.headers, ...passed);
  if (versionIn(passed) === undefined && versionIn(provider.headers) === undefined) {
    headers.push("anthropic-version", defaultVersion);
  }
  return headers;
}

/** The version header, if any. */
export function versionIn(headers: readonly string[]): string | undefined {
  const at = headers.findIndex((name, index) => index % 2 === 0 && name === "anthropic-version");
  return at < 0 ? undefined : headers[at + 1];
}
