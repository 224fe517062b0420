import { longToolNames } from "../conversation/tool-name.ts";
import type { UpstreamProtocol } from "../translate/protocol.ts";
import { encodeForOpenAi } from "./conversation.ts";
import { openAiFailure } from "./errors.ts";
import { OpenAiReader } from "./reader.ts";
import { openAiUsageIn } from "./usage.ts";
import type { OpenAiVariant } from "./variant.ts";

/** OpenAI's chat protocol and its variants, for clients of other formats. */
export function openAiProtocol(variant: OpenAiVariant): UpstreamProtocol {
  return {
    encode: (conversation, call, upstream, signal) =>
      encodeForOpenAi(conversation, { call, upstream, signal, variant }),
    openReader: (call, upstream) => new OpenAiReader({ call, upstream, variant, toolName: longToolNames(call.fields) }),
    usageIn: openAiUsageIn,
    failureOf: (response, upstream) => openAiFailure(response, upstream, variant),
  };
}
