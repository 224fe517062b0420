import type { Provider } from "@uag/catalog/types.ts";

/** The version this adapter was written for, and what a client that names none gets. */
export const defaultVersion = "2023-06-01";

/**
 * The provider's headers, then the client's own: they travel with fields of the body, so they go on
 * unchanged.
 * @param passed name and value by turns
 */
export function anthropicHeaders(provider: Provider, requestId: string, passed: readonly string[]): string[] {
  const headers = ["x-api-key", provider.apiKey, "content-type", "application/json", "accept-encoding", "identity"];
  headers.push("x-client-request-id", requestId, ...provider.headers, ...passed);
  if (versionIn(passed) === undefined && versionIn(provider.headers) === undefined) {
    headers.push("anthropic-version", defaultVersion);
  }
  return headers;
}

/** The version among some headers. */
export function versionIn(headers: readonly string[]): string | undefined {
  const at = headers.findIndex((name, index) => index % 2 === 0 && name === "anthropic-version");
  return at < 0 ? undefined : headers[at + 1];
}
