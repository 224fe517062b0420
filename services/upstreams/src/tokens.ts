import { setImmediate as nextTurn } from "node:timers/promises";

/**
 * The tokenizer's time grows with the square of an unbroken run of letters (one line of Chinese is
 * such a run), so text is counted in pieces; a cut adds a token at most.
 */
const pieceChars = 128;
/** Nobody else waits for longer than this, and for one piece more. */
const turnMs = 5;
/** Of a text longer than this so much is counted, in pieces from all over it. */
const countedChars = 100_000;
const plainText = { disallowedSpecial: new Set<string>() };

type Count = (text: string, options: typeof plainText) => number;
let loading: Promise<Count> | undefined;

/**
 * Loading costs some 60 MB, and 300 ms in which nothing else is done: whoever will need it does so
 * before it serves.
 */
export function loadTokenizer(): Promise<Count> {
  loading ??= import("gpt-tokenizer/encoding/o200k_base").then((module): Count => module.countTokens);
  return loading;
}

/**
 * How many tokens a text is, or several are together, by o200k_base: exactly, or nearly for long
 * texts. Yields to the event loop between pieces.
 */
export async function countTokens(text: string | readonly string[]): Promise<number> {
  const texts = typeof text === "string" ? [text] : text;
  let total = 0;
  for (const { length } of texts) total += length;
  if (total === 0) return 0;
  const count = await loadTokenizer();
  // The pieces of long texts stand at equal distances, so that no part of them speaks for another.
  const stride = Math.max(1, total / countedChars);
  let counted = 0;
  let tokens = 0;
  let turnEnds = performance.now() + turnMs;
  let begin = 0;
  for (const each of texts) {
    for (let at = Math.max(0, Math.ceil(counted * stride) - begin); at < each.length; ) {
      const end = pieceEnd(each, at);
      tokens += count(each.slice(at, end), plainText);
      counted += end - at;
      at = stride === 1 ? end : Math.max(end, Math.ceil(counted * stride) - begin);
      if (performance.now() < turnEnds) continue;
      await nextTurn();
      turnEnds = performance.now() + turnMs;
    }
    begin += each.length;
  }
  return Math.ceil(tokens * (total / counted));
}

/** Cuts before a space where there is one, so that words stay whole. */
function pieceEnd(text: string, from: number): number {
  if (text.length - from <= pieceChars) return text.length;
  // Of the piece alone: a search in the text would go back to its beginning where there is no
  // space.
  const space = text.slice(from, from + pieceChars).lastIndexOf(" ");
  if (space > 0) return from + space;
  const end = from + pieceChars;
  const splitsPair = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
  return splitsPair ? end - 1 : end;
}
