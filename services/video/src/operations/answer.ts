import { clientErrorOf, respondError } from "@uag/capability/client-error.ts";
import { nestedErrors } from "@uag/capability/nested-error.ts";
import type { LinkHandler } from "@uag/link/server.ts";
import type { LinkExchange } from "@uag/link/server-exchange.ts";
import type { VideoContext } from "../context.ts";

export function respondJson(exchange: LinkExchange, status: number, value: unknown, headers: string[] = []): void {
  const body = Buffer.from(JSON.stringify(value));
  const head = ["content-type", "application/json", "content-length", String(body.length), ...headers];
  exchange.respond(status, head, body);
}

/** A handler whose failures are answered as errors. */
export function answering(context: VideoContext, handle: (exchange: LinkExchange) => Promise<void>): LinkHandler {
  return async (exchange) => {
    try {
      await handle(exchange);
    } catch (thrown) {
      const clientError = clientErrorOf(thrown, exchange.requestId);
      respondError(exchange, clientError, { events: context.events, format: nestedErrors, headers: [] });
    }
  };
}
