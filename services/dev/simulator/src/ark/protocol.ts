import { type JsonReply, type Problem, type Protocol, Rejection } from "../http/types.ts";

export interface ArkError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly param?: string;
}

const types: { readonly [status: number]: string } = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  413: "BadRequest",
  429: "TooManyRequests",
};

function body({ status, code, message, param = "" }: ArkError): object {
  return { error: { code, message, param, type: types[status] ?? "InternalServerError" } };
}

function json(error: ArkError): JsonReply {
  return { type: "json", status: error.status, body: body(error) };
}

/** Rejects a request in Ark's format. */
export function rejectArk(error: ArkError): Rejection {
  return new Rejection(json(error));
}

/** The rejection of one field's value. */
export function invalidArk(param: string, why: string, code = "InvalidParameter"): Rejection {
  const message = `The parameter \`${param}\` specified in the request is not valid: ${why}.`;
  return rejectArk({ status: 400, code, message, param });
}

const rows: { readonly [status: number]: Omit<ArkError, "status"> } = {
  400: { code: "BadRequest", message: "The request failed because it was rejected." },
  401: {
    code: "AuthenticationError",
    message: "The API key or AK/SK in the request is missing or invalid.",
  },
  403: {
    code: "AccountOverdueError",
    message: "The request failed because your account has an overdue balance.",
  },
  404: {
    code: "InvalidEndpointOrModel.NotFound",
    message: "The model or endpoint sim does not exist or you do not have access to it.",
  },
  429: {
    code: "ModelAccountRpmRateLimitExceeded",
    message: "The request exceeds the requests per minute limit of this model. Please try again later.",
  },
  500: {
    code: "InternalServiceError",
    message: "The service encountered an unexpected internal error.",
  },
  503: { code: "ServerOverloaded", message: "The service is currently unable to handle additional requests." },
};
const quota = {
  code: "SetLimitExceeded",
  message: "Your account has reached the set inference limit for this model, and the model service has been paused.",
};

function errorFor({ status, quota: isQuota, message }: Problem): ArkError {
  const row = status === 429 && isQuota ? quota : (rows[status] ?? rows[status >= 500 ? 500 : 400] ?? quota);
  return { status, code: row.code, message: message ?? row.message };
}

export const arkProtocol: Protocol = {
  provider: "ark",
  credential: (headers) => /^bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1],
  unauthorized: () => json(errorFor({ status: 401 })),
  notFound: () => json({ status: 404, code: "NotFound", message: "The requested path does not exist." }),
  badJson: () =>
    json({ status: 400, code: "InvalidParameter", message: "The request body is not valid JSON.", param: "body" }),
  tooLarge: () => json({ status: 413, code: "InvalidParameter", message: "The request body is too large." }),
  error: (problem) => json(errorFor(problem)),
  streamError: (problem) => ({ data: JSON.stringify(body(errorFor(problem))) }),
  newRequestId: (digest, count) => `02${digest.slice(0, 30)}${count.toString(16).padStart(8, "0")}`,
  headers: (requestId) => ({ "x-request-id": requestId }),
};
