import { longToolNames } from "../conversation/tool-name.ts";
import type { UpstreamProtocol } from "../translate/protocol.ts";
import { geminiFailure } from "./errors.ts";
import { GeminiReader } from "./reader.ts";
import { encodeForGemini } from "./request.ts";
import { geminiUsageIn } from "./usage.ts";

/** Gemini's own protocol, for clients of other formats. */
export const geminiProtocol: UpstreamProtocol = {
  encode: encodeForGemini,
  openReader: (call, upstream) => new GeminiReader(upstream, longToolNames(call.fields)),
  usageIn: geminiUsageIn,
  failureOf: geminiFailure,
};
