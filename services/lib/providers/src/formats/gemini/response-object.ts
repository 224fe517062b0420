import type { StopReason, Tokens } from "../../conversation/events.ts";
import { fieldsOf } from "../../conversation/fields.ts";
import type { GenerationCall } from "../../generation.ts";
import type { Part } from "./candidate-parts.ts";

const finishReasons: Readonly<Record<StopReason, string>> = {
  stop: "STOP",
  stop_sequence: "STOP",
  tools: "STOP",
  length: "MAX_TOKENS",
  context_full: "MAX_TOKENS",
  refusal: "SAFETY",
  pause: "OTHER",
};

/** A candidate's content, or part of it. */
export function candidate(index: number, parts: readonly Part[], stop?: StopReason): object {
  return {
    content: { parts: parts.length === 0 ? [{ text: "" }] : parts, role: "model" },
    ...(stop !== undefined && { finishReason: finishReasons[stop] }),
    index,
  };
}

/** Gemini's usage object: the prompt includes cached tokens, the candidates exclude thoughts. */
export function usageMetadata(tokens: Tokens | undefined): object {
  if (tokens === undefined) return {};
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, output, thinking } = tokens;
  const prompt = input + cacheRead + cacheWrite5m + cacheWrite1h;
  return {
    usageMetadata: {
      promptTokenCount: prompt,
      ...(cacheRead > 0 && { cachedContentTokenCount: cacheRead }),
      candidatesTokenCount: output - thinking,
      ...(thinking > 0 && { thoughtsTokenCount: thinking }),
      totalTokenCount: prompt + output,
    },
  };
}

/** The response's id, without another format's prefix. */
export const responseId = (id: string, requestId: string): string =>
  (id || requestId).replace(/^(chatcmpl-|msg_|resp_)/, "");

/** Whether the client wants to see thoughts. */
export const showsThoughts = ({ fields }: Pick<GenerationCall, "fields">): boolean =>
  fieldsOf(fieldsOf(fields["generationConfig"])["thinkingConfig"])["includeThoughts"] === true;
