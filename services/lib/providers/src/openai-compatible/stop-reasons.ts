import type { StopReason } from "../conversation/events.ts";

/** OpenAI's finish reasons, and what compatible vendors send for the same. */
const reasons: Readonly<Record<string, StopReason>> = {
  stop: "stop",
  // Together: the model's end-of-sequence token.
  eos: "stop",
  end_turn: "stop",
  stop_sequence: "stop",
  length: "length",
  max_tokens: "length",
  // Mistral: the context is full.
  model_length: "context_full",
  tool_calls: "tools",
  tool_use: "tools",
  function_call: "tools",
  content_filter: "refusal",
  // Z.ai
  sensitive: "refusal",
};

/**
 * The meaning of a finish reason; undefined for an unknown one.
 * @param hasCalls the response has tool calls, which some vendors end with `stop`
 */
export function stopReasonOf(reason: string, hasCalls: boolean): StopReason | undefined {
  const known = Object.hasOwn(reasons, reason) ? reasons[reason] : undefined;
  return known === "stop" && hasCalls ? "tools" : known;
}
