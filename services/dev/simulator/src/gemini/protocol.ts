import { type JsonReply, type Problem, type Protocol, Rejection } from "../http/types.ts";

const statusNames: { readonly [code: number]: string } = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  409: "ABORTED",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

const texts: { readonly [code: number]: string } = {
  400: "Request contains an invalid argument.",
  401: "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.",
  403: "The caller does not have permission",
  404: "Requested entity was not found.",
  429: "You exceeded your current quota, please check your plan and billing details.",
  500: "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting",
  503: "The model is overloaded. Please try again later.",
  504: "Deadline expired before operation could complete.",
};

interface GoogleError {
  code: number;
  message: string;
  status: string;
  details?: object[];
}

function errorOf(code: number, message?: string, details?: object[]): { error: GoogleError } {
  const status = statusNames[code] ?? (code >= 500 ? "INTERNAL" : "FAILED_PRECONDITION");
  const text = message ?? texts[code] ?? "The request failed.";
  return { error: { code, message: text, status, ...(details !== undefined && { details }) } };
}

function json(code: number, message?: string, details?: object[]): JsonReply {
  return { type: "json", status: code, body: errorOf(code, message, details) };
}

/** Rejects a request in Google's format. */
export function rejectGemini(code: number, message: string): Rejection {
  return new Rejection(json(code, message));
}

function quotaDetails({ quota, retrySeconds = 22 }: Problem): object[] {
  const window = quota ? "PerDay" : "PerMinute";
  return [
    {
      "@type": "type.googleapis.com/google.rpc.QuotaFailure",
      violations: [
        {
          quotaMetric: "generativelanguage.googleapis.com/generate_content_free_tier_requests",
          quotaId: `GenerateRequests${window}PerProjectPerModel-FreeTier`,
          quotaDimensions: { location: "global", model: "simulator" },
          quotaValue: "10",
        },
      ],
    },
    {
      "@type": "type.googleapis.com/google.rpc.Help",
      links: [
        { description: "Learn more about Gemini API quotas", url: "https://ai.google.dev/gemini-api/docs/rate-limits" },
      ],
    },
    { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${retrySeconds}s` },
  ];
}

const wrongKeyDetails = [
  {
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    reason: "API_KEY_INVALID",
    domain: "googleapis.com",
    metadata: { service: "generativelanguage.googleapis.com" },
  },
];

function detailsFor(problem: Problem): object[] | undefined {
  return problem.status === 429 ? quotaDetails(problem) : undefined;
}

export const geminiProtocol: Protocol = {
  provider: "gemini",
  credential(headers, query) {
    const key = headers["x-goog-api-key"];
    return typeof key === "string" ? key : (query.get("key") ?? undefined);
  },
  unauthorized: (credential) =>
    credential
      ? json(400, "API key not valid. Please pass a valid API key.", wrongKeyDetails)
      : json(
          403,
          "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
        ),
  notFound: () => json(404, "Not Found"),
  badJson: () => json(400, "Invalid JSON payload received. Unexpected token."),
  tooLarge: () => json(413, "Request payload size exceeds the limit: 20971520 bytes."),
  error: (problem) => json(problem.status, problem.message, detailsFor(problem)),
  streamError: (problem) => ({ data: JSON.stringify(errorOf(problem.status, problem.message, detailsFor(problem))) }),
  newRequestId: (digest, count) => `${digest.slice(0, 16)}${count.toString(16).padStart(6, "0")}`,
  headers: (_requestId, tookMs) => ({
    "server-timing": `gfet4t7; dur=${tookMs}`,
    vary: "Origin, X-Origin, Referer",
    "x-content-type-options": "nosniff",
  }),
};
