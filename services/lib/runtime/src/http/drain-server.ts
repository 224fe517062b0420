import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { Server as NetServer } from "node:net";

/** How long a closing server keeps serving. */
export interface DrainOptions {
  /**
   * How long new connections are still accepted, milliseconds: those on their way, and those of
   * balancers that have not noticed the shutdown yet. Each response announces the end of its
   * connection.
   */
  readonly lingerMs: number;
  /** How long connections may continue after that, milliseconds. */
  readonly drainMs: number;
}

const sweepMs = 100;
/** How long a request sent at the end of the promised time may be in transit. */
const transitMs = 1_000;

/**
 * Closes an HTTP server without losing a request: a client may be sending one on an idle
 * connection, so connections are ended by responses that announce it. One that stays idle is closed
 * after the keep-alive time that its last response promised, or with the drain. A server without
 * linger has no balancer to wait for: its idle connections are closed immediately.
 */
export async function drainServer(server: Server, { lingerMs, drainMs }: DrainOptions): Promise<void> {
  const endConnection = (_request: IncomingMessage, response: ServerResponse): void => {
    response.shouldKeepAlive = false;
  };
  for (const event of ["request", "checkContinue"] as const) server.prependListener(event, endConnection);
  server.keepAliveTimeoutBuffer = Math.min(server.keepAliveTimeoutBuffer, transitMs);
  await new Promise((resolve) => setTimeout(resolve, lingerMs));
  const closed = new Promise((resolve) => {
    // An HTTP server's own `close` also cuts idle connections.
    if (lingerMs === 0) server.close(resolve);
    else NetServer.prototype.close.call(server, resolve);
  });
  const cutIdle = (): void => server.closeIdleConnections();
  // Connections that become idle later end on their own after the promised time.
  const sweep =
    lingerMs === 0 ? setInterval(cutIdle, sweepMs) : setTimeout(cutIdle, server.keepAliveTimeout + transitMs);
  const cut = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}
