import { countCharacters } from "./count.ts";

/** Natural pauses, best first; each match ends where the text may be cut. */
const pauses: readonly RegExp[] = [
  /\n+/g,
  // Matches only from the start of a run of marks: matching from each of them would take quadratic
  // time on a long run.
  /(?<![.!?…])[.!?…]+["'”’»)\]]*\s+|[。！？…｡]+[”’」』）]*\s*/g,
  /[;:]\s+|[；：]\s*/g,
  /,\s+|[，、]\s*/g,
  /\s+/g,
];

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

export interface SplitOptions {
  /** Maximum characters of a piece, weighted. */
  readonly max: number;
  readonly ideographWeight: number;
}

/**
 * Splits a text into pieces of at most `max` characters: at the last end of a sentence that fits,
 * else at a lesser pause, else between graphemes. The concatenated pieces equal the text.
 */
export function splitText(text: string, options: SplitOptions): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (countCharacters(rest, options.ideographWeight) > options.max) {
    const fitting = fittingPrefix(rest, options);
    const cut = lastPause(rest, fitting) ?? lastGrapheme(rest, fitting);
    pieces.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  if (rest !== "") pieces.push(rest);
  return pieces;
}

/** Length in UTF-16 units of the longest prefix within the limit; at least one code point. */
function fittingPrefix(text: string, { max, ideographWeight }: SplitOptions): number {
  let count = 0;
  let length = 0;
  for (const char of text) {
    count += countCharacters(char, ideographWeight);
    if (count > max && length > 0) break;
    length += char.length;
  }
  return length;
}

/**
 * The end of the last pause within `fitting` units; one in the first third is ignored, because it
 * would leave too many short pieces.
 */
function lastPause(text: string, fitting: number): number | undefined {
  // One unit more shows whether a mark at the very end is followed by white space.
  const window = text.slice(0, fitting + 1);
  for (const pause of pauses) {
    let found: number | undefined;
    for (const { index, 0: match } of window.matchAll(pause)) {
      const end = Math.min(index + match.length, fitting);
      if (end > index && index + match.trimEnd().length <= fitting && end > fitting / 3) found = end;
    }
    if (found !== undefined) return found;
  }
  return undefined;
}

function lastGrapheme(text: string, fitting: number): number {
  let end = 0;
  for (const { index, segment } of graphemes.segment(text.slice(0, fitting + 64))) {
    const next = index + segment.length;
    if (next > fitting) break;
    end = next;
  }
  // A grapheme longer than a piece (a letter with a heap of marks) is split after all.
  return end === 0 ? fitting : end;
}
