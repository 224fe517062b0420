import type { UpstreamProtocol } from "../translate/protocol.ts";
import { anthropicFailure } from "./errors.ts";
import { AnthropicReader } from "./reader.ts";
import { encodeForAnthropic } from "./request.ts";
import { anthropicUsageIn } from "./usage.ts";

/** Anthropic's messages protocol, for clients of other formats. */
export const anthropicProtocol: UpstreamProtocol = {
  encode: encodeForAnthropic,
  openReader: (_call, upstream) => new AnthropicReader(upstream),
  usageIn: anthropicUsageIn,
  failureOf: anthropicFailure,
};
