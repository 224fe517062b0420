import type { Provider } from "@uag/catalog/types";

/** Bearer key, content type, our request id, and the provider's own headers. */
export function bearerHeaders(provider: Provider, requestId: string, contentType = "application/json"): string[] {
  return [
    "authorization",
    `Bearer ${provider.apiKey}`,
    "content-type",
    contentType,
    "accept-encoding",
    "identity",
    "x-client-request-id",
    requestId,
    ...provider.headers,
  ];
}
