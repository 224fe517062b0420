import { uuidOf } from "../content/uuid.ts";
import { type JsonReply, type Protocol, Rejection } from "../http/types.ts";

const types: { readonly [status: number]: string } = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "unknown_error",
  404: "not_found_error",
  422: "invalid_request_error",
  429: "rate_limit_error",
  503: "service_unavailable_error",
};

function body(status: number, message = "The request failed"): object {
  const type = types[status] ?? (status >= 500 ? "server_error" : "invalid_request_error");
  return { error: { message, type, param: null, code: type } };
}

function json(status: number, message?: string): JsonReply {
  return { type: "json", status, body: body(status, message) };
}

/** Rejects a request like a typical compatible vendor. */
export function rejectVendor(status: number, message: string): Rejection {
  return new Rejection(json(status, message));
}

/** A vendor that copies OpenAI's protocol loosely. */
export const vendorProtocol: Protocol = {
  provider: "vendor",
  credential: (headers) => /^bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1],
  unauthorized: () => json(401, "Authentication Fails, Your api key is invalid"),
  notFound: () => ({ type: "json", status: 404, body: { error_msg: "Not Found. Please check the configuration." } }),
  badJson: () => json(400, "Failed to parse the request body as JSON"),
  tooLarge: () => json(413, "Request body too large"),
  error: ({ status, message }) => json(status, message),
  streamError: ({ status, message }) => ({ data: JSON.stringify(body(status, message)) }),
  newRequestId: uuidOf,
  headers: (requestId) => ({ "x-trace-id": requestId.replaceAll("-", "") }),
};
