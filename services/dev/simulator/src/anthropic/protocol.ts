import type { JsonReply, Problem, Protocol } from "../http/types.ts";
import { Rejection } from "../http/types.ts";

interface AnthropicError {
  type: "error";
  error: { type: string; message: string };
}

const typeByStatus: { readonly [status: number]: string } = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  409: "conflict_error",
  413: "request_too_large",
  429: "rate_limit_error",
  500: "api_error",
  504: "timeout_error",
  529: "overloaded_error",
};

const textByStatus: { readonly [status: number]: string } = {
  400: "The request was rejected.",
  401: "invalid x-api-key",
  402: "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
  403: "Your API key does not have permission to use the specified resource.",
  404: "Not found",
  429: "This request would exceed your organization's rate limit of 50 requests per minute.",
  500: "Internal server error",
  504: "Request timed out",
  529: "Overloaded",
};

function errorBody(status: number, message?: string): AnthropicError {
  const type = typeByStatus[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
  return { type: "error", error: { type, message: message ?? textByStatus[status] ?? "Request failed" } };
}

function requestIdFields(requestId: string): object {
  return { request_id: requestId };
}

function json(status: number, message?: string): JsonReply {
  return { type: "json", status, body: errorBody(status, message), requestIdFields };
}

/** Rejects a request in Anthropic's format. */
export function rejectAnthropic(status: number, message: string): Rejection {
  return new Rejection(json(status, message));
}

function rateHeaders(): Record<string, string> {
  const reset = new Date(Date.now() + 60_000).toISOString().replace(/\.\d+Z$/, "Z");
  const headers: Record<string, string> = {};
  const limits = { requests: 4000, tokens: 4_800_000, "input-tokens": 4_000_000, "output-tokens": 800_000 };
  for (const [name, limit] of Object.entries(limits)) {
    headers[`anthropic-ratelimit-${name}-limit`] = String(limit);
    headers[`anthropic-ratelimit-${name}-remaining`] = String(name === "requests" ? limit - 1 : limit - 1000);
    headers[`anthropic-ratelimit-${name}-reset`] = reset;
  }
  return headers;
}

function problemJson({ status, message }: Problem): JsonReply {
  return json(status, message);
}

export const anthropicProtocol: Protocol = {
  provider: "anthropic",
  rateHeaders: ({ limit, remaining, resetMs }) => ({
    "anthropic-ratelimit-requests-limit": String(limit),
    "anthropic-ratelimit-requests-remaining": String(remaining),
    "anthropic-ratelimit-requests-reset": new Date(Date.now() + resetMs).toISOString(),
  }),
  credential(headers) {
    const key = headers["x-api-key"];
    if (typeof key === "string" && key !== "") return key;
    return /^bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
  },
  unauthorized: (credential) => json(401, credential ? "invalid x-api-key" : "x-api-key header is required"),
  notFound: () => json(404, "Not found"),
  badJson: () => json(400, "The request body is not valid JSON"),
  tooLarge: () => json(413, "Request exceeds the maximum size"),
  error: problemJson,
  streamError: ({ status, message }) => ({
    event: "error",
    data: JSON.stringify(errorBody(status, message)),
    requestIdFields,
  }),
  newRequestId: (digest, count) => `req_011${digest.slice(0, 15)}${count.toString(36).padStart(6, "0")}`,
  headers: (requestId) => ({
    "request-id": requestId,
    "anthropic-organization-id": "00000000-0000-4000-8000-000000000000",
    ...rateHeaders(),
  }),
};
