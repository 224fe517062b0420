import type { IncomingMessage } from "node:http";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { BufferLease } from "@uag/untrusted/buffer-budget";
import { joined } from "@uag/untrusted/joined";
import { parseJsonInTurns } from "@uag/untrusted/json/parse";

/** More than a client sends in one batch; current revisions of the protocol have no batches. */
const maxBatch = 16;

/**
 * Reads the body: counted before it is buffered, and measured before it is parsed.
 * @throws {GatewayError} `payload_too_large`, `service_unavailable`, `invalid_json`,
 * `invalid_request`
 */
export async function readBody(request: IncomingMessage, lease: BufferLease, limit: number): Promise<unknown> {
  const body = await parseJsonInTurns(await readBytes(request, lease, limit));
  if (Array.isArray(body) && body.length > maxBatch)
    throw new GatewayError("invalid_request", `A batch can have at most ${maxBatch} messages.`);
  return body;
}

async function readBytes(request: IncomingMessage, lease: BufferLease, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  // The server discards the rest of a body that is too long: if the connection were closed, the
  // router would see that before the response.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > limit)
      throw new GatewayError("payload_too_large", `The request body exceeds the limit of ${limit} bytes.`);
    lease.take(chunk.length);
    chunks.push(chunk);
  }
  return await joined(chunks);
}
