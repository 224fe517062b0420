import { spokenText } from "../conversation/events.ts";
import type { GenerationAdapter } from "../generation.ts";
import type { ClientDialect } from "./client.ts";
import type { UpstreamProtocol } from "./protocol.ts";
import { TranslatedStream } from "./stream.ts";

/** A client's format to an upstream's protocol by way of what both mean. */
export function translated(client: ClientDialect, protocol: UpstreamProtocol): GenerationAdapter {
  return {
    encode(call, upstream, signal) {
      const asked = client.read(call.fields);
      const conversation = call.outputCap === undefined ? asked : { ...asked, outputCap: call.outputCap };
      return protocol.encode(conversation, call, upstream, signal);
    },
    decode(body, call, upstream) {
      const reader = protocol.openReader(call, upstream);
      const events = reader.whole(body);
      return {
        body: Buffer.from(JSON.stringify(client.whole(events, call))),
        usage: reader.usage,
        deliveredText: () => events.map(spokenText).join(""),
      };
    },
    openStream: (call, upstream) => new TranslatedStream(protocol.openReader(call, upstream), client.openWriter(call)),
    failureOf: (answer, upstream) => protocol.failureOf(answer, upstream),
  };
}
