import { uuidOf } from "../content/uuid.ts";
import type { BytesReply, JsonReply, Protocol } from "../http/types.ts";

export const plain = (status: number, text: string, contentType = "text/plain"): BytesReply => ({
  type: "bytes",
  status,
  contentType,
  bytes: Buffer.from(text),
});

const json = (status: number, code: string, message: string): JsonReply => ({
  type: "json",
  status,
  body: { code, message },
});

/** What AWS's servers without credentials of their own have in common. */
export const openProtocol: Protocol = {
  provider: "aws",
  open: true,
  credential: () => undefined,
  unauthorized: () => plain(401, "Unauthorized"),
  notFound: () => plain(404, "Not Found"),
  badJson: () => plain(400, "Bad Request"),
  tooLarge: () => plain(413, "Payload Too Large"),
  error: ({ status, message }) => json(status, "InternalServerError", message ?? "The request failed."),
  streamError: () => ({ data: "" }),
  newRequestId: uuidOf,
  headers: () => ({}),
};
