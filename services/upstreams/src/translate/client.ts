import type { AnswerEvent } from "../conversation/events.ts";
import type { Fields } from "../conversation/fields.ts";
import type { Conversation } from "../conversation/types.ts";
import type { GenerationCall } from "../generation.ts";

/** A format of clients, as requests are read from it and answers said in it. */
export interface ClientFormat {
  /** @throws {UpstreamFailure} `client` for what no other protocol can say */
  read(fields: Fields): Conversation;
  /** A whole answer from all of its events, as a JSON value. */
  whole(events: readonly AnswerEvent[], call: GenerationCall): object;
  openWriter(call: GenerationCall): AnswerWriter;
}

/** Says an answer to a client as it comes. */
export interface AnswerWriter {
  /** The client's events for one of the answer's; empty when there is nothing to say yet. */
  write(event: AnswerEvent): string;
  /** Known once the answer has ended. */
  readonly closing: Buffer;
}
