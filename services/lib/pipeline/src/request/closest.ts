import { distance } from "fastest-levenshtein";

/** Longer words are not compared, characters. */
const maxLength = 100;

/**
 * The word that somebody probably meant: one that differs in at most a quarter of its characters;
 * undefined when none is that close.
 */
export function closest(word: string, words: Iterable<string>): string | undefined {
  if (word.length > maxLength) return undefined;
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of words) {
    const most = Math.max(1, Math.floor(Math.min(candidate.length, word.length) / 4));
    if (candidate.length > maxLength || Math.abs(candidate.length - word.length) > most) continue;
    const edits = distance(word, candidate);
    if (edits <= most && edits < least) [best, least] = [candidate, edits];
  }
  return best;
}
