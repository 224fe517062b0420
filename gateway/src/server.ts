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
  /** How long answers under way may go on once the server closes, milliseconds. */
  drainMs: number;
  /**
   * A connection on which nothing moves for this long is cut: longer than any answer may take.
   * Milliseconds.
   */
  idleMs: number;
}

/**
 * The public port. Disposing drains it: no new connections, answers under way finish, then what is
 * left is cut.
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
      // Long uploads are watched by their progress, not by a total.
      requestTimeout: 0,
      connectionsCheckingInterval: 5_000,
      keepAliveTimeout: 75_000,
      noDelay: true,
      // A missing host is answered in our own words.
      requireHostHeader: false,
    },
    listener,
  );
  server.timeout = options.idleMs;
  server.maxHeadersCount = maxHeaders + 1;
  // A request with `expect: 100-continue` is judged by its head; the body is called for when it is
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
