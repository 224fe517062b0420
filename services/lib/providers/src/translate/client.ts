import type { ResponseEvent } from "../conversation/events.ts";
import type { Fields } from "../conversation/fields.ts";
import type { Conversation } from "../conversation/types.ts";
import type { GenerationCall } from "../generation.ts";

/** A client's format of generated text: parses requests and writes responses, for upstreams of any protocol. */
export interface GenerationFormat {
  /** Its log probabilities have a form of their own: they are parsed, and not passed on as bytes. */
  readonly rewritesLogprobs?: true;
  /** @throws {UpstreamFailure} `client` for what no other protocol can express */
  read(fields: Fields): Conversation;
  /** Builds a complete response from its events, as a JSON value. */
  response(events: readonly ResponseEvent[], call: GenerationCall): object;
  openWriter(call: GenerationCall): ResponseWriter;
}

/** Writes a streamed response in the client's format. */
export interface ResponseWriter {
  /** The client's events for one event of the response; empty while no event can be sent. */
  write(event: ResponseEvent): string;
  /** Available once the response has ended. */
  readonly closing: Buffer;
}
