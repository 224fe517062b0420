import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { systemClock } from "@uag/runtime/clock";
import { drainServer } from "@uag/runtime/http/drain-server";
import { keepAlive } from "@uag/runtime/http/keep-alive";
import type { Express } from "express";
import { onClientError } from "./client-error.ts";
import { limitConnectionAge } from "./connection-age.ts";
import { inTurns } from "./in-turns.ts";
import { messageClasses } from "./messages.ts";
import { maxHeaders } from "./middleware/request-id.ts";

export interface PublicServerOptions {
  app: Express;
  host: string;
  port: number;
  /** Largest request head, bytes. */
  headerLimit: number;
  /** Age at which a connection ends with its next response, give or take a fifth, ms. */
  connectionMaxAgeMs: number;
  /** How long new requests are still taken once the server is to close, milliseconds. */
  lingerMs: number;
  /** How long responses in flight may continue after that, milliseconds. */
  drainMs: number;
  /**
   * A connection without traffic for this long is cut; longer than any response may take.
   * Milliseconds.
   */
  idleMs: number;
}

/**
 * The public port. Disposing drains it: connections close after their responses; the rest are cut
 * at the end of the drain.
 */
export interface PublicServer extends AsyncDisposable {
  readonly port: number;
  readonly draining: boolean;
}

const headMs = 20_000;

/** Listens for HTTP/1.1. */
export async function openPublicServer(options: PublicServerOptions): Promise<PublicServer> {
  const { app } = options;
  let draining = false;
  const listener = inTurns(app);
  const server = createServer(
    {
      ...messageClasses(app),
      maxHeaderSize: options.headerLimit,
      headersTimeout: headMs,
      // Long uploads are limited by their rate, not by a total time.
      requestTimeout: 0,
      connectionsCheckingInterval: 5_000,
      ...keepAlive,
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
  limitConnectionAge(server, { maxAgeMs: options.connectionMaxAgeMs, clock: systemClock, random: Math.random });
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
      await drainServer(server, options);
    },
  };
}
