import { fieldsOf, listOf, numberOf, textOf } from "../../conversation/fields.ts";

/** Log probabilities as legacy completions have them: lists with one entry for each token. */
export interface LegacyLogprobs {
  readonly tokens: readonly string[];
  readonly token_logprobs: readonly (number | null)[];
  /** Null if the request wants none but those of the text's own tokens. */
  readonly top_logprobs: readonly Readonly<Record<string, number>>[] | null;
  /** Where each token begins in the choice's text, characters. */
  readonly text_offset: readonly number[];
}

/**
 * The log probabilities of a text.
 * @param entries as chat completions have them
 * @param start the text's offset in its choice
 */
export function legacyLogprobs(entries: readonly unknown[], start: number): LegacyLogprobs | null {
  if (entries.length === 0) return null;
  const all = entries.map(fieldsOf);
  const tokens = all.map(({ token }) => textOf(token) ?? "");
  const tops = all.map(({ top_logprobs }) => topOf(listOf(top_logprobs)));
  let offset = start;
  return {
    tokens,
    token_logprobs: all.map(({ logprob }) => numberOf(logprob) ?? null),
    top_logprobs: tops.some((top) => Object.keys(top).length > 0) ? tops : null,
    text_offset: tokens.map((token) => {
      const at = offset;
      offset += token.length;
      return at;
    }),
  };
}

function topOf(candidates: readonly unknown[]): Record<string, number> {
  const named = candidates.map(fieldsOf).flatMap(({ token, logprob }) => {
    const [name, value] = [textOf(token), numberOf(logprob)];
    return name === undefined || value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(named);
}

/** The log probabilities of texts that follow one another. */
export function joinedLogprobs(parts: readonly LegacyLogprobs[]): LegacyLogprobs | null {
  if (parts.length === 0) return null;
  const hasTop = parts.some(({ top_logprobs }) => top_logprobs !== null);
  return {
    tokens: parts.flatMap(({ tokens }) => tokens),
    token_logprobs: parts.flatMap(({ token_logprobs }) => token_logprobs),
    top_logprobs: hasTop ? parts.flatMap(({ tokens, top_logprobs }) => top_logprobs ?? tokens.map(() => ({}))) : null,
    text_offset: parts.flatMap(({ text_offset }) => text_offset),
  };
}
