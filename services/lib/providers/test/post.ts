import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";
import type { Timeouts } from "@uag/catalog/types";
import { type HttpRequest, type HttpResponse, send } from "../src/http/call.ts";
import type { HttpPools } from "../src/http/pools.ts";
import { testTransport } from "./transport.ts";

/** Timeouts that a busy machine does not reach. */
export const longTimeouts: Timeouts = {
  connectMs: 20_000,
  firstByteMs: 20_000,
  betweenChunksMs: 20_000,
  totalMs: 60_000,
};

/** Starts a server on a free port of this machine and returns its origin. */
export async function originOf(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Sends a JSON request over pools, with a test's overrides. */
export function post(pools: HttpPools, origin: string, more: Partial<HttpRequest> = {}): Promise<HttpResponse> {
  return send(pools, {
    origin,
    path: "/",
    method: "POST",
    headers: ["content-type", "application/json"],
    body: Buffer.from("{}"),
    timeouts: longTimeouts,
    transport: testTransport(),
    signal: new AbortController().signal,
    ...more,
  });
}
