import type { IncomingMessage, ServerResponse } from "node:http";

/** How long bytes already written may take to be sent. */
const flushMs = 2_000;
/**
 * HTTP clients discard undelivered bytes when a connection breaks: this leaves time to read a last
 * event.
 */
const readDelayMs = 250;

/**
 * Closes the connection of an incomplete response in a way that the client can detect.
 * @param options.afterReading an event was written last, which the client should be able to read
 */
export function cutResponse(
  request: IncomingMessage,
  response: ServerResponse,
  options: { afterReading: boolean },
): void {
  if (options.afterReading) setTimeout(() => closeConnection(request, response), readDelayMs);
  else closeConnection(request, response);
}

function closeConnection(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = response;
  if (socket === null) {
    response.destroy();
    return;
  }
  // HTTP/1.0 ends a response by closing the connection: only a reset shows that this one is
  // incomplete.
  if (request.httpVersionMinor === 0) {
    socket.resetAndDestroy();
    return;
  }
  socket.destroySoon();
  setTimeout(() => socket.destroy(), flushMs).unref();
}
