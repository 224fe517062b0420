import type { IncomingMessage, ServerResponse } from "node:http";

/** How long what was written already may take to leave. */
const lastWordsMs = 2_000;

/** Closes the connection of an answer that is not whole, such that the client can tell that it is not. */
export function cutAnswer(request: IncomingMessage, response: ServerResponse): void {
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
