import { type ResponseEvent, spokenText } from "../conversation/events.ts";
import type { Conversation } from "../conversation/types.ts";
import { deliveredAtOnce } from "../delivered.ts";
import { UpstreamFailure } from "../failure.ts";
import type { GenerationAdapter, GenerationCall, UnaryResponse } from "../generation.ts";
import { CutLists } from "../reading/cut-lists.ts";
import { eventsInTurns } from "../reading/whole-stream.ts";
import type { GenerationFormat } from "./client.ts";
import { CollectedEvents } from "./collected-events.ts";
import type { ResponseReader, UpstreamProtocol } from "./protocol.ts";
import { TranslatedStream } from "./stream.ts";

/** Converts a client's format to an upstream's protocol through the common model. */
export function translated(client: GenerationFormat, protocol: UpstreamProtocol): GenerationAdapter {
  const unaryResponse = (reader: ResponseReader, events: ResponseEvent[], call: GenerationCall): UnaryResponse => ({
    body: Buffer.from(JSON.stringify(client.response(events, call))),
    usage: reader.usage,
    deliveredText: () => events.map(spokenText).join(""),
  });
  return {
    ...(client.rewritesLogprobs === true && { rewritesLogprobs: true as const }),
    encode(call, upstream, signal) {
      const requested = client.read(call.fields);
      return protocol.encode({ ...requested, outputCap: capOf(requested, call) }, call, upstream, signal);
    },
    decode(body, call, upstream) {
      const reader = protocol.openReader(call, upstream);
      return unaryResponse(reader, reader.body(body), call);
    },
    async collect(body, call, upstream) {
      const reader = protocol.openReader(call, upstream);
      const lists = new CutLists();
      const { body: written, ...response } = unaryResponse(
        reader,
        await collected(reader, body, client.rewritesLogprobs === true ? undefined : lists),
        call,
      );
      return { ...response, body: await lists.restore(written) };
    },
    replay(body, call, upstream) {
      const reader = protocol.openReader(call, upstream);
      const writer = client.openWriter(call);
      const events = reader.body(body);
      const output = events.map((event) => writer.write(event)).join("");
      const delivered = deliveredAtOnce(events.map(spokenText).join(""));
      return { output: [Buffer.from(output)], closing: writer.closing, usage: reader.usage, delivered };
    },
    usageIn: protocol.usageIn,
    ...(protocol.unframed !== undefined && { unframed: protocol.unframed }),
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

/**
 * All events of a complete stream.
 * @param lists receives their log probabilities; undefined: the events keep them
 */
async function collected(reader: ResponseReader, body: Buffer, lists: CutLists | undefined): Promise<ResponseEvent[]> {
  const events = new CollectedEvents(lists);
  for await (const event of eventsInTurns(body)) {
    if (event.text === "" || reader.ended) continue;
    for (const each of reader.event(event)) events.add(each);
  }
  const end = reader.ended ? [] : reader.end();
  if (end === undefined) {
    throw new UpstreamFailure("transient", "the stream ended before it was finished", { status: 200 });
  }
  return [...events.all, ...end];
}
