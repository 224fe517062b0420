import type { ServerResponse } from "node:http";

/** Codes of errors that reading from, writing to, or acting for a closed connection causes. */
const codes: ReadonlySet<unknown> = new Set([
  "ABORT_ERR",
  "ECONNRESET",
  "EPIPE",
  "ERR_STREAM_PREMATURE_CLOSE",
  "UND_ERR_ABORTED",
]);

/**
 * True for an error that a client's disconnect has caused: no response can be sent any more, and
 * the error or one of its causes is that of an ended connection.
 */
export function isDisconnect(error: unknown, { destroyed }: Pick<ServerResponse, "destroyed">): boolean {
  if (!destroyed) return false;
  for (let at = error; at instanceof Error; at = at.cause)
    if (at.name === "AbortError" || codes.has((at as NodeJS.ErrnoException).code)) return true;
  return false;
}
