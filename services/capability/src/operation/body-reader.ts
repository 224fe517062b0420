import type { BufferLease } from "@uag/kit/buffer-budget.ts";
import type { LinkExchange } from "@uag/link/server-exchange.ts";
import { type JsonBody, type JsonOptions, parseJsonBody, readJsonBody } from "../request/body.ts";

/** How a request's body is read. */
export interface BodyReader<B> {
  /**
   * Reads the body from its exchange.
   * @param lease pays for the bytes held
   * @throws {GatewayError} for a body that is not of the expected kind, `service_unavailable` when
   * memory is short
   * @throws {LinkError} `too_large`, or why the exchange is over
   */
  read(exchange: LinkExchange, lease: BufferLease): Promise<B>;
  /** Reads bytes that were taken off the exchange before. @throws {GatewayError} as `read` */
  parse?(bytes: Buffer): Promise<B>;
}

/** Bodies that are one JSON object, within `options.limits`. */
export function jsonBody(options: JsonOptions = {}): BodyReader<JsonBody> {
  return {
    read: (exchange, lease) => readJsonBody(exchange, lease, options),
    parse: (bytes) => parseJsonBody(bytes, options),
  };
}
