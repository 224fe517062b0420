import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Request } from "express";
import type { GatewayResponse } from "../request-state.ts";
import { responseHeaders } from "../respond.ts";
import { jsonTextInTurns } from "./json.ts";

/** A shorter response fits into one packet as it is. */
const minBytes = 1_400;

const compress = promisify(gzip);

/**
 * Sends a complete JSON response, compressed where the client accepts it and only reads: listings
 * are long, and secrets are in responses to changes alone.
 */
export async function sendCompressed(
  request: Request,
  response: GatewayResponse,
  { status, body }: { readonly status: number; readonly body: object },
): Promise<void> {
  const plain = Buffer.from(await jsonTextInTurns(body));
  const isWorth = request.method === "GET" && plain.length >= minBytes;
  const zipped = isWorth && request.acceptsEncodings("gzip") === "gzip";
  const sent = zipped ? await compress(plain) : plain;
  const headers = responseHeaders(request, response);
  headers.push("content-type", "application/json", "content-length", String(sent.length));
  if (isWorth) headers.push("vary", "accept-encoding");
  if (zipped) headers.push("content-encoding", "gzip");
  response.writeHead(status, headers);
  response.end(sent);
}
