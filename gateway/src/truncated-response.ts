import type { IncomingMessage, ServerResponse } from "node:http";

/** How long what was written already may take to leave. */
const lastWordsMs = 2_000;
/**
 * HTTP clients throw away what they have not handed on when a connection breaks: time for a last
 * event to be read.
 */
const readingMs = 250;

/**
 * Closes the connection of an answer that is not whole, such that the client can tell that it is
 * not.
 * @param options.afterReading the last thing written was an event that the client should get to see
 */
export function cutResponse(
  request: IncomingMessage,
  response: ServerResponse,
  options: { afterReading: boolean },
): void {
  if (options.afterReading) setTimeout(() => cut(request, response), readingMs);
  else cut(request, response);
}

function cut(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = response;
  if (socket === null) {
    response.destroy();
    return;
  }
  // HTTP/1.0 ends an answer by closing the connection: only a reset says that this one is not over.
  if (request.httpVersionMinor === 0) {
    socket.resetAndDestroy();
    return;
  }
  socket.destroySoon();
  setTimeout(() => socket.destroy(), lastWordsMs).unref();
}
