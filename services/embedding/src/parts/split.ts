import type { BatchLimits, Upstream } from "@uag/catalog/types.ts";
import type { EmbeddingInput } from "@uag/upstreams/embeddings/types.ts";

/** What a tokenizer may add to a text: marks of its beginning and end. */
const addedTokens = 4;

/**
 * Most tokens that an input can be: a token of text is a byte at least, and nothing beyond the
 * context is read.
 */
export function tokenBound(input: EmbeddingInput, contextTokens: number): number {
  // A character is a byte at least, so that nobody waits for those of a long text to be counted.
  if (input.length >= contextTokens) return contextTokens;
  const max = typeof input === "string" ? Buffer.byteLength(input) + addedTokens : input.length;
  return Math.min(max, contextTokens);
}

/** What every one of the upstreams takes in one call, so that any of them can take over. */
export function commonLimits(upstreams: readonly Upstream[]): BatchLimits {
  const limits = upstreams.flatMap(({ batch }) => (batch === undefined ? [] : [batch]));
  return {
    items: Math.min(...limits.map(({ items }) => items)),
    tokens: Math.min(...limits.map(({ tokens }) => tokens)),
  };
}

/**
 * Cuts a list of inputs into runs that fit into one call each, in order. An input that fits into no
 * call has one for itself: the upstream says what is wrong with it.
 * @param bounds most tokens of each input
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
