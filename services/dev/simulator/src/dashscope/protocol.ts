import type { ApiError } from "../completions/flavour.ts";
import { uuidOf } from "../content/uuid.ts";
import { type JsonReply, type Problem, type Protocol, Rejection } from "../http/types.ts";

/** Error bodies of the compatible endpoint: the ids are next to `error`. */
function errorBody(code: string | null, message: string, type: string, param: string | null = null): object {
  return { error: { code, param, message, type } };
}

function requestIdFields(requestId: string): object {
  return { id: `chatcmpl-${requestId}`, request_id: requestId };
}

function json(status: number, body: object): JsonReply {
  return { type: "json", status, body, requestIdFields };
}

/** Rejects a chat request in the compatible endpoint's format. */
export function rejectDashScope({
  status,
  message,
  code = "invalid_parameter_error",
  param = null,
}: ApiError): Rejection {
  return new Rejection(json(status, errorBody(code, message, "invalid_request_error", param)));
}

interface Row {
  readonly code: string;
  readonly message: string;
  readonly type: string;
}

const rows: { readonly [status: number]: Row } = {
  400: {
    code: "invalid_parameter_error",
    message: "<400> InternalError.Algo.InvalidParameter: The request is invalid.",
    type: "invalid_request_error",
  },
  401: { code: "invalid_api_key", message: "Incorrect API key provided. ", type: "invalid_request_error" },
  403: { code: "access_denied", message: "Access denied.", type: "access_denied" },
  404: {
    code: "model_not_found",
    message: "The model `sim` does not exist or you do not have access to it.",
    type: "invalid_request_error",
  },
  429: { code: "limit_requests", message: "You exceeded your current requests list.", type: "limit_requests" },
  500: {
    code: "internal_error",
    message: "An internal error has occured, please try again later or contact service support.",
    type: "internal_error",
  },
  503: {
    code: "ModelServingError",
    message:
      "Too many requests. Your requests are being throttled due to system capacity limits. Please try again later.",
    type: "ModelServingError",
  },
};

// The code that elsewhere means an exhausted account is a limit of tokens per minute here.
const quotaRow: Row = {
  code: "insufficient_quota",
  message: "You exceeded your current quota, please check your plan and billing details.",
  type: "insufficient_quota",
};

function rowFor({ status, quota }: Problem): Row {
  if (status === 429 && quota) return quotaRow;
  return rows[status] ?? rows[status >= 500 ? 500 : 400] ?? quotaRow;
}

function bodyFor(problem: Problem): object {
  const { code, message, type } = rowFor(problem);
  return errorBody(code, problem.message ?? message, type);
}

export const dashScopeProtocol: Protocol = {
  provider: "dashscope",
  credential: (headers) => /^bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1],
  unauthorized: (credential) =>
    json(
      401,
      errorBody(
        "invalid_api_key",
        credential ? "Incorrect API key provided. " : "You didn't provide an API key. ",
        "invalid_request_error",
      ),
    ),
  notFound: () => json(404, errorBody("NotFound", "The requested resource does not exist.", "invalid_request_error")),
  badJson: () =>
    json(
      400,
      errorBody(
        "invalid_parameter_error",
        "Required body invalid, please check the request body format.",
        "invalid_request_error",
      ),
    ),
  tooLarge: () =>
    json(
      413,
      errorBody("invalid_parameter_error", "Exceeded limit on max bytes to buffer : 6291456", "invalid_request_error"),
    ),
  error: (problem) => json(problem.status, bodyFor(problem)),
  streamError: (problem) => ({ data: JSON.stringify(bodyFor(problem)), requestIdFields }),
  newRequestId: uuidOf,
  headers: (requestId, tookMs) => ({
    "x-request-id": requestId,
    "req-cost-time": String(tookMs),
    "x-dashscope-call-gateway": "true",
  }),
};
