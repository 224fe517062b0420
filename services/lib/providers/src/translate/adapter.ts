import { SseDecoder } from "@uag/untrusted/sse/decoder";
import { type ResponseEvent, spokenText } from "../conversation/events.ts";
import type { Conversation } from "../conversation/types.ts";
import { UpstreamFailure } from "../failure.ts";
import type { GenerationAdapter, GenerationCall, UnaryResponse } from "../generation.ts";
import { wholeEvent } from "../whole-event.ts";
import type { ClientFormat } from "./client.ts";
import type { ResponseReader, UpstreamProtocol } from "./protocol.ts";
import { TranslatedStream } from "./stream.ts";

/** Converts a client's format to an upstream's protocol through the common model. */
export function translated(client: ClientFormat, protocol: UpstreamProtocol): GenerationAdapter {
  const unaryResponse = (reader: ResponseReader, events: ResponseEvent[], call: GenerationCall): UnaryResponse => ({
    body: Buffer.from(JSON.stringify(client.response(events, call))),
    usage: reader.usage,
    deliveredText: () => events.map(spokenText).join(""),
  });
  return {
    encode(call, upstream, signal) {
      const requested = client.read(call.fields);
      return protocol.encode({ ...requested, outputCap: capOf(requested, call) }, call, upstream, signal);
    },
    decode(body, call, upstream) {
      const reader = protocol.openReader(call, upstream);
      return unaryResponse(reader, reader.body(body), call);
    },
    collect(body, call, upstream) {
      const reader = protocol.openReader(call, upstream);
      return unaryResponse(reader, collected(reader, body), call);
    },
    replay(body, call, upstream) {
      const reader = protocol.openReader(call, upstream);
      const writer = client.openWriter(call);
      const events = reader.body(body);
      const output = events.map((event) => writer.write(event)).join("");
      const text = events.map(spokenText).join("");
      const delivered = { text, roughTokens: Math.ceil(Buffer.byteLength(text) / 4) };
      return { output: [Buffer.from(output)], closing: writer.closing, usage: reader.usage, delivered };
    },
    usageIn: protocol.usageIn,
    openStream: (call, upstream) => new TranslatedStream(protocol.openReader(call, upstream), client.openWriter(call)),
    failureOf: (response, upstream) => protocol.failureOf(response, upstream),
  };
}

/**
 * Clients written for one vendor's models request more than another's support, which would be
 * rejected.
 */
function capOf(
  requested: Conversation,
  { outputCap = requested.outputCap, model }: GenerationCall,
): number | undefined {
  return outputCap === undefined ? undefined : Math.min(outputCap, model.maxOutputTokens);
}

/** All events of a complete stream. */
function collected(reader: ResponseReader, body: Buffer): ResponseEvent[] {
  const decoder = new SseDecoder({ maxEventBytes: body.length });
  const found = decoder.push(body);
  const last = wholeEvent(decoder.end());
  const events: ResponseEvent[] = [];
  for (const event of last === undefined ? found : [...found, last]) {
    if (event.text !== "" && !reader.ended) events.push(...reader.event(event));
  }
  const end = reader.ended ? [] : reader.end();
  if (end === undefined) {
    throw new UpstreamFailure("transient", "the stream ended before it was finished", { status: 200 });
  }
  return [...events, ...end];
}
