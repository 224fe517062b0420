import { GatewayError } from "@uag/contract/errors/gateway-error";
import { parseJson } from "@uag/untrusted/json/parse";
import type { Request } from "express";
import { bodyTooLarge } from "../middleware/body-limits.ts";
import type { GatewayResponse } from "../request-state.ts";

const timeoutMs = 30_000;

function readBytes(request: Request, limit: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const late = new GatewayError("request_timeout");
  const timer = setTimeout(() => reject(late), timeoutMs);
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > limit) reject(bodyTooLarge(limit));
    else chunks.push(chunk);
  });
  request.once("end", () => resolve(Buffer.concat(chunks)));
  request.once("close", () => reject(new GatewayError("client_closed_request")));
  return promise.finally(() => clearTimeout(timer));
}

/**
 * A small request's JSON; undefined when it has no body.
 * @param options.limit bytes
 * @throws {GatewayError} `payload_too_large`, `invalid_json`, `invalid_request` for JSON beyond the
 * limits of `parseJson`
 */
export async function readJson(
  request: Request,
  { response, limit }: { response: GatewayResponse; limit: number },
): Promise<unknown> {
  if (request.headers["expect"] !== undefined) response.writeContinue();
  const bytes = await readBytes(request, limit);
  return bytes.length === 0 ? undefined : parseJson(bytes);
}
