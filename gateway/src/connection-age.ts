import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "@uag/runtime/clock";

export interface ConnectionAgeOptions {
  readonly maxAgeMs: number;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** Connections that were opened together do not all come back together. */
const jitter = 0.2;

/**
 * Ends connections that are older than this with their next response, which says so: a client that
 * keeps its connection for ever would never reach a replica that was added. Responses that have
 * begun are not affected, and nothing runs for an idle connection.
 */
export function limitConnectionAge(server: Server, { maxAgeMs, clock, random }: ConnectionAgeOptions): void {
  const ends = new WeakMap<Socket, number>();
  server.on("connection", (socket) => {
    ends.set(socket, clock.monotonic() + maxAgeMs * (1 - jitter + 2 * jitter * random()));
  });
  const endWhenOld = ({ socket }: IncomingMessage, response: ServerResponse): void => {
    const end = ends.get(socket);
    if (end !== undefined && clock.monotonic() >= end) response.shouldKeepAlive = false;
  };
  for (const event of ["request", "checkContinue"] as const) server.prependListener(event, endWhenOld);
}
