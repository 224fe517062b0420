import { uuidOf } from "../content/uuid.ts";
import { type JsonReply, type Protocol, Rejection } from "../http/types.ts";

const texts: { readonly [status: number]: string } = {
  400: "The request is invalid.",
  401: "Provided API key is invalid.",
  403: "The IP address you are sending the request from is not allowed.",
  404: "Not Found",
  422: "The request is malformed.",
  429: "You have exceeded your rate limit. Please reduce the frequency of requests.",
};

function json(status: number, message?: string): JsonReply {
  const detail = message ?? texts[status] ?? "The server encountered an error. Please try again later.";
  return { type: "json", status, body: { detail } };
}

/** Rejects a request in Voyage's format: a string under `detail`. */
export function rejectVoyage(status: number, message: string): Rejection {
  return new Rejection(json(status, message));
}

export const voyageProtocol: Protocol = {
  provider: "voyage",
  credential: (headers) => /^bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1],
  unauthorized: (credential) => json(401, credential ? "Provided API key is invalid." : "No API key provided."),
  notFound: () => json(404),
  badJson: () => json(422, "The request body is not valid JSON."),
  tooLarge: () => json(413, "The request body is too large."),
  error: ({ status, message }) => json(status, message),
  streamError: ({ message }) => ({ data: JSON.stringify({ detail: message ?? texts[400] }) }),
  newRequestId: uuidOf,
  headers: (requestId) => ({ "x-request-id": requestId }),
};
