import { retryHeaders } from "@uag/contract/errors/retry-headers";
import { LinkError } from "@uag/link/errors";
import type { LinkExchange } from "@uag/link/server-exchange";
import type { ClientError, ErrorFormat } from "./client-error.ts";
import type { CapabilityEvents } from "./events.ts";

/** How an error is sent to the client. */
export interface RespondErrorOptions {
  readonly events: CapabilityEvents;
  readonly format: ErrorFormat;
  /** Additional headers, alternating name and value. */
  readonly headers: readonly string[];
}

/** Responds with an error if the client is still connected. */
export function respondError(exchange: LinkExchange, clientError: ClientError, options: RespondErrorOptions): void {
  const { error } = clientError;
  // An exchange that its client has ended gets no response.
  if (exchange.over && error.cause instanceof LinkError) return;
  options.events.refused(clientError);
  if (exchange.over) return;
  const body = options.format.errorBody(clientError);
  const headers = ["content-type", "application/json", "content-length", String(body.length)];
  headers.push(...retryHeaders(error), ...options.headers, ...(error.headers ?? []));
  exchange.respond(options.format.errorStatus?.(clientError) ?? error.httpStatus, headers, body);
}
