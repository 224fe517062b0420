import type { IncomingMessage } from "node:http";
import { maxBodyBytesOfKind } from "@uag/contract/body-limits";

const maxWaitMs = 5_000;
const maxBytes = maxBodyBytesOfKind("multipart");

/**
 * Reads and discards the rest of a request's body, so that a client that writes before it reads
 * sees an early response. A client that sends too much or too slowly is disconnected.
 */
export function discardBody(request: IncomingMessage, done: () => void): void {
  if (request.complete) {
    done();
    return;
  }
  let bytes = 0;
  const timer = setTimeout(() => request.socket.destroy(), maxWaitMs).unref();
  request.removeAllListeners("data");
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) request.socket.destroy();
  });
  request.once("close", () => clearTimeout(timer));
  request.once("end", () => {
    clearTimeout(timer);
    done();
  });
  request.resume();
}
