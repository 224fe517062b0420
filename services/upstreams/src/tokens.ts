import { setImmediate as nextTurn } from "node:timers/promises";

/**
 * The tokenizer's time grows with the square of an unbroken run of letters (one line of Chinese is such a run), so text is
 * counted in pieces; a cut adds a token at most.
 */
const pieceChars = 400;
const piecesPerTurn = 100;
/** Beyond this many characters the rest is taken to be like the beginning. */
const countedChars = 400_000;
const plainText = { disallowedSpecial: new Set<string>() };

type Count = (text: string, options: typeof plainText) => number;
let loading: Promise<Count> | undefined;

/** Loaded when first needed: it costs some 60 MB and 100 ms, and most processes never need it. */
function loadTokenizer(): Promise<Count> {
  loading ??= import("gpt-tokenizer/encoding/o200k_base").then((module): Count => module.countTokens);
  return loading;
}

/** How many tokens a text is, by o200k_base. Yields to the event loop between pieces. */
export async function countTokens(text: string): Promise<number> {
  if (text === "") return 0;
  const count = await loadTokenizer();
  const counted = Math.min(text.length, countedChars);
  let tokens = 0;
  let pieces = 0;
  for (let at = 0; at < counted; ) {
    const end = pieceEnd(text, at, counted);
    tokens += count(text.slice(at, end), plainText);
    at = end;
    if (++pieces % piecesPerTurn === 0) await nextTurn();
  }
  return Math.ceil(tokens * (text.length / counted));
}

/** Cuts before a space where there is one, so that words stay whole. */
function pieceEnd(text: string, from: number, limit: number): number {
  if (limit - from <= pieceChars) return limit;
  const space = text.lastIndexOf(" ", from + pieceChars);
  if (space > from) return space;
  const end = from + pieceChars;
  const splitsPair = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
  return splitsPair ? end - 1 : end;
}
