import type { Upstream } from "@uag/catalog/types";
import type { GenerationCall, UpstreamCall } from "./generation.ts";
import type { TextGeneration } from "./provider.ts";

/** Changes a call to what a cloud expects that serves another vendor's protocol. */
export type EditCall = (call: UpstreamCall, upstream: Upstream, generation: GenerationCall) => UpstreamCall;

/** Text generation by a vendor's protocol at a cloud, where calls differ and responses do not. */
export const withEditedCalls = ({ format, adapter, protocol }: TextGeneration, edit: EditCall): TextGeneration => ({
  format,
  adapter: {
    ...adapter,
    encode: async (call, upstream, signal) => edit(await adapter.encode(call, upstream, signal), upstream, call),
  },
  protocol: {
    ...protocol,
    encode: async (conversation, call, upstream, signal) =>
      edit(await protocol.encode(conversation, call, upstream, signal), upstream, call),
  },
});
