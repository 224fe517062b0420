import type { ApiError } from "../completions/flavour.ts";
import { type JsonReply, type Problem, type Protocol, Rejection, type StreamEvent } from "../http/types.ts";

interface ErrorBody {
  error: { message: string; type: string; param: string | null; code: string | null };
}

function errorBody(message: string, type: string, param: string | null, code: string | null): ErrorBody {
  return { error: { message, type, param, code } };
}

function json(status: number, body: ErrorBody): JsonReply {
  return { type: "json", status, body };
}

/** Rejects a request with an invalid_request_error. */
export function rejectOpenAi({ status, message, param = null, code = null }: ApiError): Rejection {
  return new Rejection(json(status, errorBody(message, "invalid_request_error", param, code)));
}

const quotaText =
  "You exceeded your current quota, please check your plan and billing details. For more information on this error, " +
  "read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.";
const rateText =
  "Rate limit reached for this model in organization org-simulator on requests per min (RPM): Limit 500, Used 500, " +
  "Requested 1. Please try again in 120ms. Visit https://platform.openai.com/account/rate-limits to learn more.";

function bodyFor({ status, quota, message }: Problem): ErrorBody {
  if (status === 401)
    return errorBody("Incorrect API key provided: sim.", "invalid_request_error", null, "invalid_api_key");
  if (status === 403) {
    const text = "Country, region, or territory not supported";
    return errorBody(text, "request_forbidden", null, "unsupported_country_region_territory");
  }
  if (status === 404) {
    const text = "The model `sim` does not exist or you do not have access to it.";
    return errorBody(text, "invalid_request_error", null, "model_not_found");
  }
  if (status === 429) {
    return quota
      ? errorBody(quotaText, "insufficient_quota", null, "insufficient_quota")
      : errorBody(rateText, "requests", null, "rate_limit_exceeded");
  }
  if (status === 503)
    return errorBody("The engine is currently overloaded, please try again later", "engine_overloaded", null, null);
  if (status >= 500) {
    const text = "The server had an error while processing your request. Sorry about that!";
    return errorBody(message ?? text, "server_error", null, null);
  }
  return errorBody(message ?? "The request was rejected.", "invalid_request_error", null, null);
}

function bearer(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
}

const noKey =
  "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. " +
  "Authorization: Bearer YOUR_KEY), or as the password field (with blank username) if you're accessing the API from " +
  "your browser and are prompted for a username and password. You can obtain an API key from " +
  "https://platform.openai.com/account/api-keys.";

function masked(key: string): string {
  return key.length <= 8 ? "***" : `${key.slice(0, 4)}${"*".repeat(8)}${key.slice(-4)}`;
}

export const openAiProtocol: Protocol = {
  provider: "openai",
  credential: (headers) => bearer(headers.authorization),
  unauthorized(credential) {
    if (!credential) return json(401, errorBody(noKey, "invalid_request_error", null, null));
    const text = `Incorrect API key provided: ${masked(credential)}. You can find your API key at https://platform.openai.com/account/api-keys.`;
    return json(401, errorBody(text, "invalid_request_error", null, "invalid_api_key"));
  },
  notFound: (method, path) =>
    json(404, errorBody(`Invalid URL (${method} ${path})`, "invalid_request_error", null, null)),
  badJson: () =>
    json(
      400,
      errorBody(
        "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library " +
          "correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)",
        "invalid_request_error",
        null,
        null,
      ),
    ),
  tooLarge: () => json(413, errorBody("The request body is too large.", "invalid_request_error", null, null)),
  error: (problem) => json(problem.status, bodyFor(problem)),
  streamError: (problem): StreamEvent => ({ data: JSON.stringify(bodyFor(problem)) }),
  newRequestId: (digest, count) => `req_${digest.slice(0, 24)}${count.toString(16).padStart(8, "0")}`,
  rateHeaders: ({ limit, remaining, resetMs }) => ({
    "x-ratelimit-limit-requests": String(limit),
    "x-ratelimit-remaining-requests": String(remaining),
    "x-ratelimit-reset-requests": `${resetMs}ms`,
  }),
  headers: (requestId, tookMs) => ({
    "x-request-id": requestId,
    "openai-processing-ms": String(tookMs),
    "openai-version": "2020-10-01",
    "openai-organization": "org-simulator",
    "x-ratelimit-limit-requests": "10000",
    "x-ratelimit-remaining-requests": "9999",
    "x-ratelimit-reset-requests": "6ms",
    "x-ratelimit-limit-tokens": "30000000",
    "x-ratelimit-remaining-tokens": "29999000",
    "x-ratelimit-reset-tokens": "2ms",
  }),
};
