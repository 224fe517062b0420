import type { ResponseEvent } from "../conversation/events.ts";
import type { Fields } from "../conversation/fields.ts";
import type { Conversation } from "../conversation/types.ts";
import type { GenerationCall } from "../generation.ts";

/** A format of clients, as requests are read from it and answers said in it. */
export interface ClientFormat {
  /** @throws {UpstreamFailure} `client` for what no other protocol can say */
  read(fields: Fields): Conversation;
  /** A whole answer from all of its events, as a JSON value. */
  whole(events: readonly ResponseEvent[], call: GenerationCall): object;
  openWriter(call: GenerationCall): ResponseWriter;
}

/** Says an answer to a client as it comes. */
export interface ResponseWriter {
  /** The client's events for one of the answer's; empty when there is nothing to say yet. */
  write(event: ResponseEvent): string;
  /** Known once the answer has ended. */
  readonly closing: Buffer;
}
