import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { errorText } from "@uag/contract/errors/shapes";
import { newId } from "@uag/runtime/ids";

const lingerMs = 2_000;
const responded = new WeakSet<Socket>();

interface Refusal {
  readonly status: string;
  readonly error: GatewayError;
}

function refusalFor(code: string | undefined): Refusal {
  if (code === "HPE_HEADER_OVERFLOW")
    return { status: "431 Request Header Fields Too Large", error: new GatewayError("headers_too_large") };
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return {
      status: "408 Request Timeout",
      error: new GatewayError("request_timeout", "The request headers did not arrive in time."),
    };
  return {
    status: "400 Bad Request",
    error: new GatewayError("invalid_request", "The data is not an HTTP/1.1 request."),
  };
}

/**
 * Responds to bytes that could not be parsed as a request, so never reached the application, and
 * closes the connection. An idle connection that never sent anything is closed silently: a client
 * that had it pooled would mistake the response for that of its next request.
 */
export function onClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  // What follows the invalid part is invalid too; the response in flight is enough.
  if (responded.has(socket)) return;
  if (error.code === "ECONNRESET" || !socket.writable || socket.bytesRead === 0 || isResponding(socket)) {
    socket.destroy();
    return;
  }
  responded.add(socket);
  const { status, error: refusal } = refusalFor(error.code);
  const requestId = newId("req");
  const body = errorText("nested", { error: refusal, requestId });
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n` +
      `x-request-id: ${requestId}\r\nx-should-retry: ${refusal.retryable}\r\nconnection: close\r\n\r\n${body}`,
  );
  // A reset would discard the response for a client that is still writing.
  setTimeout(() => socket.destroy(), lingerMs).unref();
}

/**
 * True while an earlier request's response is partly written; node's own handler makes the same
 * check.
 */
function isResponding(socket: Socket & { _httpMessage?: ServerResponse | null }): boolean {
  return socket._httpMessage?.headersSent === true;
}
