import type { StopReason, Tokens } from "../../conversation/events.ts";

export const stopReasons: Readonly<Record<StopReason, string>> = {
  stop: "end_turn",
  stop_sequence: "stop_sequence",
  pause: "pause_turn",
  length: "max_tokens",
  context_full: "model_context_window_exceeded",
  tools: "tool_use",
  refusal: "refusal",
};

/** Anthropic's usage object: its input excludes everything cached. */
export function messageUsage(tokens: Tokens | undefined): object {
  const { input = 0, output = 0, cacheRead = 0, cacheWrite5m = 0, cacheWrite1h = 0, thinking = 0 } = tokens ?? {};
  return {
    input_tokens: input,
    cache_creation_input_tokens: cacheWrite5m + cacheWrite1h,
    cache_read_input_tokens: cacheRead,
    output_tokens: output,
    ...(thinking > 0 && { output_tokens_details: { thinking_tokens: thinking } }),
  };
}

/** The response's id in Anthropic's format. */
export function messageId(id: string, requestId: string): string {
  return `msg_${(id || requestId).replace(/^(chatcmpl-|msg_)/, "")}`;
}

/** Why the provider refused, if it reports a reason. */
export function refusalDetails(reason: StopReason, explanation: string): object {
  if (reason !== "refusal") return {};
  return { stop_details: { type: "refusal", category: null, explanation: explanation === "" ? null : explanation } };
}
