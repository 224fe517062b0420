import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { Express } from "express";
import { onClientError } from "./client-error.ts";
import { messageClasses } from "./messages.ts";
import { maxHeaders } from "./middleware/request-id.ts";

export interface PublicServerOptions {
  app: Express;
  host: string;
  port: number;
  /** Largest request head, bytes. */
  headerLimit: number;
  /** How long responses in flight may continue once the server closes, milliseconds. */
  drainMs: number;
  /**
   * A connection without traffic for this long is cut; longer than any response may take.
   * Milliseconds.
   */
  idleMs: number;
}

/**
 * The public port. Disposing drains it: no new connections, responses in flight finish, then the
 * rest are cut.
 */
export interface PublicServer extends AsyncDisposable {
  readonly port: number;
  readonly draining: boolean;
}

const headMs = 20_000;
const sweepMs = 100;

/** Listens for HTTP/1.1. */
export async function openPublicServer(options: PublicServerOptions): Promise<PublicServer> {
  const { app } = options;
  let draining = false;
  const listener: RequestListener = (request, response) => {
    if (draining) response.shouldKeepAlive = false;
    app(request, response);
  };
  const server = createServer(
    {
      ...messageClasses(app),
      maxHeaderSize: options.headerLimit,
      headersTimeout: headMs,
      // Long uploads are limited by their rate, not by a total time.
      requestTimeout: 0,
      connectionsCheckingInterval: 5_000,
      keepAliveTimeout: 75_000,
      noDelay: true,
      // A missing Host header gets our own error.
      requireHostHeader: false,
    },
    listener,
  );
  server.timeout = options.idleMs;
  server.maxHeadersCount = maxHeaders + 1;
  // A request with `expect: 100-continue` is checked by its head; the body is requested when it is
  // forwarded.
  server.on("checkContinue", listener);
  server.on("clientError", onClientError);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: options.host, port: options.port, backlog: 4_096 }, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    get draining() {
      return draining;
    },
    async [Symbol.asyncDispose]() {
      draining = true;
      const closed = new Promise((resolve) => server.close(resolve));
      const sweep = setInterval(() => server.closeIdleConnections(), sweepMs);
      const cut = setTimeout(() => server.closeAllConnections(), options.drainMs);
      await closed;
      clearInterval(sweep);
      clearTimeout(cut);
    },
  };
}
