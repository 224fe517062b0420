import type { LinkExchange } from "@uag/link/server-exchange";
import { clientErrorOf } from "../client-error.ts";
import type { CapabilityContext } from "../context.ts";
import { type JsonReply, respondJson } from "./json-reply.ts";

/** A response of bytes that are sent as they are read. */
export interface StreamedReply {
  /** Alternating name and value. */
  readonly headers: readonly string[];
  readonly chunks: AsyncIterable<Buffer>;
}

/** The response to a request that is not billed. */
export type QueryReply = JsonReply | StreamedReply;

/** @throws what reading the first chunk throws; a later failure interrupts the response */
export async function respondQuery(
  context: Pick<CapabilityContext, "events">,
  exchange: LinkExchange,
  reply: QueryReply,
): Promise<void> {
  if ("chunks" in reply) await respondStreamed(context, exchange, reply);
  else respondJson(exchange, reply);
}

async function respondStreamed(
  { events }: Pick<CapabilityContext, "events">,
  exchange: LinkExchange,
  { headers, chunks }: StreamedReply,
): Promise<void> {
  const reading = chunks[Symbol.asyncIterator]();
  try {
    let chunk = await reading.next();
    if (exchange.over) return;
    exchange.head(200, headers);
    try {
      for (; chunk.done !== true; chunk = await reading.next())
        if (!exchange.write(chunk.value)) await exchange.drained();
      exchange.end();
    } catch (error) {
      // A client that has disconnected is no failure.
      if (exchange.over) return;
      const clientError = clientErrorOf(error, exchange.requestId);
      events.refused(clientError);
      exchange.fail(clientError.error.code);
    }
  } finally {
    await reading.return?.();
  }
}
