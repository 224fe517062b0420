import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { consoleHeader } from "@uag/contract/routes";
import type { Request, Response } from "express";
import { type Dispatcher, request as send } from "undici";
import { counted } from "./read-json.ts";

export interface RelayOptions {
  readonly dispatcher: Dispatcher;
  /** Whole, with its query. */
  readonly url: string;
  /** Replaces the session's credential. */
  readonly bearer: string;
  /** Bytes. */
  readonly bodyLimit: number;
  /** The browser's address, and the console's own admin token, by which the router believes it. */
  readonly from?: { readonly address: string; readonly proof: string };
  /** Replaces the request's own body. */
  readonly body?: object | undefined;
}

const passed = ["accept", "accept-encoding", "content-type", "idempotency-key", "user-agent", "prefer"] as const;
const forwardedHeaders = new Set([
  "allow",
  "cache-control",
  "content-disposition",
  "content-encoding",
  "content-length",
  "content-type",
  "idempotent-replayed",
  "retry-after",
  "retry-after-ms",
  "vary",
  "x-should-retry",
]);
const forwardedPrefixes = ["x-gateway-", "x-ratelimit-"];

function headersOf({ headers }: Request, bearer: string): Record<string, string> {
  const given = passed.flatMap((name) => {
    const value = headers[name];
    return typeof value === "string" ? [[name, value] as const] : [];
  });
  return { ...Object.fromEntries(given), authorization: `Bearer ${bearer}` };
}

function bodyOf(request: Request, { body, bodyLimit }: RelayOptions) {
  if (body !== undefined) return JSON.stringify(body);
  return request.method === "GET" || request.method === "HEAD"
    ? null
    : Readable.from(counted(request, bodyLimit), { objectMode: false });
}

/** An error while a request was forwarded: one of ours keeps its text. */
function refusalOf(error: unknown): GatewayError {
  for (let at = error; at instanceof Error; at = at.cause as Error) if (at instanceof GatewayError) return at;
  return new GatewayError("service_unavailable", undefined, { cause: error });
}

/**
 * Forwards a request under another credential, and streams its response back; a client that
 * disconnects cancels it. The inner request's id is sent in `x-gateway-request-id`.
 * @returns false when the credential was refused; then nothing is sent yet
 * @throws {GatewayError} `payload_too_large`; `service_unavailable` when nothing responds
 */
export async function relay(request: Request, response: Response, options: RelayOptions): Promise<boolean> {
  const controller = new AbortController();
  response.once("close", () => controller.abort());
  const relayed = await send(options.url, {
    method: request.method as Dispatcher.HttpMethod,
    dispatcher: options.dispatcher,
    signal: controller.signal,
    headers: {
      ...headersOf(request, options.bearer),
      ...(options.from !== undefined && {
        "x-forwarded-for": options.from.address,
        [consoleHeader]: options.from.proof,
      }),
      ...(options.body !== undefined && { "content-type": "application/json" }),
    },
    body: bodyOf(request, options),
  }).catch((error: unknown) => {
    throw refusalOf(error);
  });
  if (relayed.statusCode === 401) {
    await relayed.body.dump();
    return false;
  }
  response.status(relayed.statusCode);
  response.setHeader("cache-control", "no-store");
  for (const [name, value] of Object.entries(relayed.headers)) {
    if (value === undefined) continue;
    if (name === "x-request-id") response.setHeader("x-gateway-request-id", value);
    else if (forwardedHeaders.has(name) || forwardedPrefixes.some((prefix) => name.startsWith(prefix)))
      response.setHeader(name, value);
  }
  response.flushHeaders();
  // The headers were sent: all that is left to do on a failure is to close the connection.
  await pipeline(relayed.body, response).catch(() => response.destroy());
  return true;
}
