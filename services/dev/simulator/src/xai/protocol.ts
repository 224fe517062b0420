import { uuidOf } from "../content/uuid.ts";
import { type JsonReply, type Problem, type Protocol, Rejection } from "../http/types.ts";

const codes: { readonly [status: number]: string } = {
  400: "Client specified an invalid argument",
  401: "The request does not have valid authentication credentials for the operation",
  403: "The caller does not have permission to execute the specified operation",
  404: "Some requested entity was not found",
  422: "Client specified an invalid argument",
  429: "Some resource has been exhausted",
  500: "Internal error",
  503: "The service is currently unavailable",
};

const texts: { readonly [status: number]: string } = {
  400: "The request was rejected.",
  401: "Invalid credentials. You can obtain an API key from https://console.x.ai.",
  403: "Your team has used all available credits or reached its monthly spending limit.",
  404: "The model sim does not exist or your team does not have access to it.",
  429: "Too many requests. Please slow down.",
  500: "An internal error occurred.",
  503: "The model is currently at capacity. Please try again later.",
};

function flat(status: number, message?: string): { code: string; error: string } {
  const known = codes[status] ?? codes[status >= 500 ? 500 : 400] ?? "Unknown error";
  return { code: known, error: message ?? texts[status] ?? "The request failed." };
}

function json(status: number, message?: string): JsonReply {
  return { type: "json", status, body: flat(status, message) };
}

/** Rejects a request in xAI's flat format: `code` and `error`, both strings. */
export function rejectXai(status: number, message: string): Rejection {
  return new Rejection(json(status, message));
}

export const xaiProtocol: Protocol = {
  provider: "xai",
  credential: (headers) => /^bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1],
  unauthorized: (credential) =>
    json(
      401,
      credential
        ? `Incorrect API key provided: ${credential.slice(0, 2)}***. You can obtain an API key from https://console.x.ai.`
        : "No API key provided. Specify your API key in the Authorization header.",
    ),
  notFound: () => json(404, "Not found"),
  badJson: () => json(400, "Failed to parse the request body as JSON"),
  tooLarge: () => json(413, "length limit exceeded"),
  error: ({ status, message }: Problem) => json(status, message),
  streamError: ({ status, message }) => ({ data: JSON.stringify(flat(status, message)) }),
  newRequestId: uuidOf,
  headers: (requestId) => ({ "x-request-id": requestId }),
};
