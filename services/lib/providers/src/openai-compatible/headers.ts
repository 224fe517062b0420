import type { Provider } from "@uag/catalog/types";
import { bearerOf } from "../bearer.ts";

/** Bearer key, content type, our request id, and the provider's own headers. */
export function bearerHeaders(provider: Provider, requestId: string, contentType = "application/json"): string[] {
  return [
    ...bearerOf(provider),
    "content-type",
    contentType,
    "accept-encoding",
    "identity",
    "x-client-request-id",
    requestId,
    ...provider.headers,
  ];
}
