import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { Server as NetServer } from "node:net";

/** How long a server that is to close goes on. */
export interface DrainOptions {
  /**
   * How long new connections are still taken, milliseconds: those on the way, and those of
   * balancers that have not heard of it yet. Each response says that its connection ends.
   */
  readonly lingerMs: number;
  /** How long connections may go on after that, milliseconds. */
  readonly drainMs: number;
}

const sweepMs = 100;
/** A request that was sent at the end of the promised time is on its way for no longer. */
const transitMs = 1_000;

/**
 * Closes an HTTP server without losing a request: a connection that is closed while it is idle may
 * have a request on its way, so that connections are ended by responses that say so. One that stays
 * idle is cut after the keep-alive time that its last response promised, or with the drain. A
 * server without linger has nobody to wait for: its idle connections are cut.
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
  // Connections that become idle later end by themselves after the promised time.
  const sweep =
    lingerMs === 0 ? setInterval(cutIdle, sweepMs) : setTimeout(cutIdle, server.keepAliveTimeout + transitMs);
  const cut = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}
