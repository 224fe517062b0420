import type { StopReason, Tokens } from "../../conversation/events.ts";

export const finishReasons: Readonly<Record<StopReason, string>> = {
  stop: "stop",
  stop_sequence: "stop",
  pause: "stop",
  length: "length",
  context_full: "length",
  tools: "tool_calls",
  refusal: "content_filter",
};

/** OpenAI's usage object: its details are included in the totals. */
export function chatUsage(tokens: Tokens | undefined): object | undefined {
  if (tokens === undefined) return undefined;
  const written = tokens.cacheWrite5m + tokens.cacheWrite1h;
  const prompt = tokens.input + tokens.cacheRead + written;
  return {
    prompt_tokens: prompt,
    completion_tokens: tokens.output,
    total_tokens: prompt + tokens.output,
    prompt_tokens_details: {
      cached_tokens: tokens.cacheRead,
      ...(written > 0 && { cache_write_tokens: written }),
      audio_tokens: tokens.audioInput ?? 0,
    },
    completion_tokens_details: {
      reasoning_tokens: tokens.thinking,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

/** The response's id in OpenAI's format. */
export function chatId(id: string, requestId: string): string {
  return `chatcmpl-${(id || requestId).replace(/^(chatcmpl-|msg_)/, "")}`;
}
