import type { ResponseEvent } from "../conversation/events.ts";
import type { Fields } from "../conversation/fields.ts";
import type { Conversation } from "../conversation/types.ts";
import type { GenerationCall } from "../generation.ts";

/** A client format: parses requests and writes answers. */
export interface ClientFormat {
  /** @throws {UpstreamFailure} `client` for what no other protocol can express */
  read(fields: Fields): Conversation;
  /** Builds a complete answer from its events, as a JSON value. */
  response(events: readonly ResponseEvent[], call: GenerationCall): object;
  openWriter(call: GenerationCall): ResponseWriter;
}

/** Writes a streamed answer in the client's format. */
export interface ResponseWriter {
  /** The client's events for one event of the answer; empty when there is nothing to send yet. */
  write(event: ResponseEvent): string;
  /** Available once the answer has ended. */
  readonly closing: Buffer;
}
