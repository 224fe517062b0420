import { nextTurn } from "@uag/runtime/next-turn";

/**
 * The tokenizer's time grows with the square of an unbroken run of letters (a line of Chinese is
 * one), so text is counted in pieces; each cut adds at most one token.
 */
const pieceChars = 128;
/** Maximum time before yielding, plus one piece. */
const turnMs = 5;
/** Of a longer text only this much is counted, in samples from all over it. */
const countedChars = 100_000;
const plainText = { disallowedSpecial: new Set<string>() };

type Count = (text: string, options: typeof plainText) => number;
let loading: Promise<Count> | undefined;

/**
 * Loading takes some 60 MB, and blocks for 300 ms: services that need it load it before they serve.
 */
export function loadTokenizer(): Promise<Count> {
  loading ??= import("gpt-tokenizer/encoding/o200k_base").then((module): Count => module.countTokens);
  return loading;
}

/**
 * The number of tokens of one or several texts, by o200k_base: exact, or approximate for long
 * texts. Yields to the event loop between pieces.
 */
export async function countTokens(text: string | readonly string[]): Promise<number> {
  const texts = typeof text === "string" ? [text] : text;
  let total = 0;
  for (const { length } of texts) total += length;
  if (total === 0) return 0;
  const count = await loadTokenizer();
  // The pieces of long texts are evenly spaced, so that no part is over-represented.
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

/** Cuts before a space if there is one, so that words stay intact. */
function pieceEnd(text: string, from: number): number {
  if (text.length - from <= pieceChars) return text.length;
  // Searches only the piece: in the text, the search would run back to its beginning if there is no
  // space.
  const space = text.slice(from, from + pieceChars).lastIndexOf(" ");
  if (space > 0) return from + space;
  const end = from + pieceChars;
  const splitsPair = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
  return splitsPair ? end - 1 : end;
}
