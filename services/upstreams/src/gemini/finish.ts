import type { StopReason } from "../conversation/events.ts";

const callFaults = new Set(["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"]);
const withheld = new Set([
  "SAFETY",
  "RECITATION",
  "LANGUAGE",
  "BLOCKLIST",
  "PROHIBITED_CONTENT",
  "SPII",
  "IMAGE_SAFETY",
  "IMAGE_PROHIBITED_CONTENT",
  "IMAGE_RECITATION",
]);

/** True when the model attempted a tool call and failed: there is no answer then. */
export function isCallFault(finishReason: string): boolean {
  return callFaults.has(finishReason);
}

/** Maps Gemini's `finishReason`; an answer that calls tools also ends with `STOP`. */
export function stopReasonOf(finishReason: string, called: boolean): StopReason {
  if (finishReason === "MAX_TOKENS" || finishReason === "CONTINUATION") return "length";
  if (withheld.has(finishReason)) return "refusal";
  return called ? "tools" : "stop";
}
