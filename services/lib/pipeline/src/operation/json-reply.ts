import type { LinkExchange } from "@uag/link/server-exchange";

/** A JSON response. */
export interface JsonReply {
  /** Default: 200. */
  readonly status?: number;
  /** JSON; a buffer is already encoded. */
  readonly body: Buffer | object;
  /** In addition to content type and length; alternating name and value. */
  readonly headers?: readonly string[];
}

/** Responds with JSON, if the client is still connected. */
export function respondJson(exchange: LinkExchange, { status = 200, body, headers = [] }: JsonReply): void {
  if (exchange.over) return;
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  const head = ["content-type", "application/json", "content-length", String(bytes.length), ...headers];
  exchange.respond(status, head, bytes);
}
