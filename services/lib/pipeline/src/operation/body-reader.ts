import type { LinkExchange } from "@uag/link/server-exchange";
import type { BufferLease } from "@uag/untrusted/buffer-budget";
import { type JsonBody, type JsonOptions, parseJsonBody, readJsonBody } from "../request/body.ts";

/** A body as it was parsed. */
export interface AnyBody {
  /** The members of a JSON object, or the fields of a form. */
  readonly fields: Readonly<Record<string, unknown>> | ReadonlyMap<string, string>;
}

/** How a request's body is read. */
export interface BodyReader<B> {
  /**
   * Reads the body from its exchange.
   * @param lease accounts for the buffered bytes
   * @throws {GatewayError} for a body that is not of the expected kind, `service_unavailable` when
   * memory is exhausted
   * @throws {LinkError} `too_large`, or why the exchange is over
   */
  read(exchange: LinkExchange, lease: BufferLease): Promise<B>;
  /** Parses bytes that were already read from the exchange. @throws {GatewayError} like `read` */
  parse?(bytes: Buffer): Promise<B>;
}

/** Bodies that consist of one JSON object, within `options.limits`. */
export function jsonBody(options: JsonOptions = {}): BodyReader<JsonBody> {
  return {
    read: (exchange, lease) => readJsonBody(exchange, lease, options),
    parse: (bytes) => parseJsonBody(bytes, options),
  };
}
