import type { IncomingMessage, Server, ServerResponse } from "node:http";

/** How long a server that is to close goes on. */
export interface DrainOptions {
  /**
   * How long new requests are still taken, milliseconds: those on the way, and those of balancers
   * that have not heard of it yet. Each answer says that its connection ends.
   */
  readonly lingerMs: number;
  /** How long requests may go on after that, milliseconds. */
  readonly drainMs: number;
}

const sweepMs = 100;

/**
 * Closes an HTTP server without losing a request: a connection that is closed while it is idle may
 * have a request on its way, so that connections are ended by answers that say so.
 */
export async function drainServer(server: Server, { lingerMs, drainMs }: DrainOptions): Promise<void> {
  const endConnection = (_request: IncomingMessage, response: ServerResponse): void => {
    response.shouldKeepAlive = false;
  };
  for (const event of ["request", "checkContinue"] as const) server.prependListener(event, endConnection);
  // For connections whose answer, already begun, could not say so: they get the same time.
  if (lingerMs > 0) server.keepAliveTimeout = lingerMs;
  await new Promise((resolve) => setTimeout(resolve, lingerMs));
  const closed = new Promise((resolve) => server.close(resolve));
  const sweep = lingerMs === 0 ? setInterval(() => server.closeIdleConnections(), sweepMs) : undefined;
  const cut = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}
