import { uuidOf } from "../content/uuid.ts";
import { type JsonReply, type Problem, type Protocol, Rejection, type StreamEvent } from "../http/types.ts";

export interface NativeError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** The request id as repeated in bodies and events. */
export function requestIdFields(requestId: string): object {
  return { request_id: requestId };
}

function json({ status, code, message }: NativeError): JsonReply {
  return { type: "json", status, body: { code, message }, requestIdFields };
}

/** Rejects a request in the native endpoint's flat format: `code` and `message`. */
export function rejectNative(error: NativeError): Rejection {
  return new Rejection(json(error));
}

/** Rejects a request because of one of its parameters. */
export function invalidParameter(message: string, code = "InvalidParameter"): Rejection {
  return rejectNative({ status: 400, code, message });
}

const rows: { readonly [status: number]: Omit<NativeError, "status"> } = {
  400: { code: "InvalidParameter", message: "The request is invalid." },
  401: { code: "InvalidApiKey", message: "Invalid API-key provided." },
  403: { code: "AccessDenied", message: "Access denied." },
  404: { code: "ModelNotFound", message: "Model not exist." },
  429: {
    code: "Throttling.RateQuota",
    message: "Requests rate limit exceeded, please try again later.",
  },
  500: {
    code: "InternalError",
    message: "An internal error has occured, please try again later or contact service support.",
  },
  503: {
    code: "ModelServingError",
    message:
      "Too many requests. Your requests are being throttled due to system capacity limits. Please try again later.",
  },
};
const quotaRow = { code: "PrepaidBillOverdue", message: "The prepaid bill is overdue." };

function errorFor({ status, quota, message }: Problem): NativeError {
  const row = status === 429 && quota ? quotaRow : (rows[status] ?? rows[status >= 500 ? 500 : 400] ?? quotaRow);
  return { status, code: row.code, message: message ?? row.message };
}

/** An error in a stream that has already begun. */
function nativeErrorEvent({ status, code, message }: NativeError): StreamEvent {
  return { event: "error", httpStatus: status, data: JSON.stringify({ code, message }), requestIdFields };
}

export const nativeProtocol: Protocol = {
  provider: "dashscope",
  credential: (headers) => /^bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1],
  unauthorized: (credential) =>
    json({
      status: 401,
      code: "InvalidApiKey",
      message: credential ? "Invalid API-key provided." : "No API-key provided.",
    }),
  notFound: () => json({ status: 404, code: "NotFound", message: "The requested resource does not exist." }),
  badJson: () =>
    json({
      status: 400,
      code: "InvalidParameter",
      message: "Required body invalid, please check the request body format.",
    }),
  tooLarge: () => json({ status: 400, code: "BadRequest.TooLarge", message: "Payload Too Large" }),
  error: (problem) => json(errorFor(problem)),
  streamError: (problem) => nativeErrorEvent(errorFor(problem)),
  newRequestId: uuidOf,
  headers: (requestId, tookMs) => ({
    "x-request-id": requestId,
    "req-cost-time": String(tookMs),
    "x-dashscope-call-gateway": "true",
  }),
};
