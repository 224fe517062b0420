import type { BatchLimits, Upstream } from "@uag/catalog/types";
import type { EmbeddingInput } from "@uag/providers/embeddings/types";

/** Tokens a tokenizer may add to a text to mark its beginning and end. */
const addedTokens = 4;

/**
 * Upper bound of an input's tokens: a token of text is at least one byte, and nothing beyond the
 * context is read.
 */
export function tokenBound(input: EmbeddingInput, contextTokens: number): number {
  // A character is at least one byte, so a long text need not be counted.
  if (input.length >= contextTokens) return contextTokens;
  const max = typeof input === "string" ? Buffer.byteLength(input) + addedTokens : input.length;
  return Math.min(max, contextTokens);
}

/** The limits per call that all upstreams share, so that any of them can take over. */
export function commonLimits(upstreams: readonly Upstream[]): BatchLimits {
  const limits = upstreams.flatMap(({ batch }) => (batch === undefined ? [] : [batch]));
  return {
    items: Math.min(...limits.map(({ items }) => items)),
    tokens: Math.min(...limits.map(({ tokens }) => tokens)),
  };
}

/**
 * Splits a list of inputs into consecutive runs that fit into one call each. An input too large for
 * any call gets one of its own: the upstream reports what is wrong with it.
 * @param bounds maximum tokens of each input
 */
export function splitInputs<T>(inputs: readonly T[], bounds: readonly number[], limits: BatchLimits): (readonly T[])[] {
  const parts: (readonly T[])[] = [];
  let start = 0;
  let tokens = 0;
  for (const [index, bound] of bounds.entries()) {
    const full = index - start === limits.items || tokens + bound > limits.tokens;
    if (full && index > start) {
      parts.push(inputs.slice(start, index));
      start = index;
      tokens = 0;
    }
    tokens += bound;
  }
  parts.push(start === 0 ? inputs : inputs.slice(start));
  return parts;
}
