import { GatewayError } from "@uag/kit/errors.ts";
import type { Request } from "express";
import { bodyTooLarge } from "../middleware/body-limits.ts";
import type { GatewayResponse } from "../request-state.ts";

const timeoutMs = 30_000;

function readBytes(request: Request, limit: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const late = new GatewayError("invalid_request", "The request body stopped arriving.");
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
 * @throws {GatewayError} `payload_too_large`, `invalid_json`
 */
export async function readJson(
  request: Request,
  { response, limit }: { response: GatewayResponse; limit: number },
): Promise<unknown> {
  if (request.headers["expect"] !== undefined) response.writeContinue();
  const bytes = await readBytes(request, limit);
  if (bytes.length === 0) return undefined;
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as unknown;
  } catch (cause) {
    throw new GatewayError("invalid_json", undefined, { cause });
  }
}
