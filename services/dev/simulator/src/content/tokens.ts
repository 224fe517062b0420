import { decode, encode } from "gpt-tokenizer/encoding/o200k_base";

/** A piece of text and the number of tokens it counts as. */
export interface Piece {
  readonly text: string;
  readonly tokens: number;
}

const asPlainText = { disallowedSpecial: new Set<string>() };
// Byte-pair merging takes quadratic time in an unbroken run, so such texts, and very long ones, are
// counted by size.
const longText = 100_000;
const longRun = 2_000;

function countedBySize(text: string): boolean {
  return text.length > longText || (text.length >= longRun && hasLongRun(text));
}

/** Whether there is a long run of only white space, or of anything else. */
function hasLongRun(text: string): boolean {
  let run = 0;
  let blank = false;
  for (const character of text) {
    const isBlank = character.trim() === "";
    run = isBlank === blank ? run + 1 : 1;
    blank = isBlank;
    if (run >= longRun) return true;
  }
  return false;
}

function tokensBySize(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/**
 * Tokens of a text: o200k, with special tokens as plain text. A text of more than 100,000
 * characters, or with 2,000 consecutive characters without (or of only) white space, counts one
 * token per 4 bytes, rounded up.
 */
export function countTokens(text: string): number {
  return countedBySize(text) ? tokensBySize(text) : encode(text, asPlainText).length;
}

function slices(text: string): Piece[] {
  const pieces: Piece[] = [];
  let bytes = 0;
  let tokens = 0;
  for (let at = 0; at < text.length; ) {
    const splitsPair = (text.codePointAt(at + 63) ?? 0) > 0xffff;
    const end = at + (splitsPair ? 65 : 64);
    const part = text.slice(at, end);
    bytes += Buffer.byteLength(part);
    const upToHere = Math.ceil(bytes / 4);
    pieces.push({ text: part, tokens: upToHere - tokens });
    tokens = upToHere;
    at = end;
  }
  return pieces;
}

/**
 * Splits a text into its tokens; tokens that share a character stay together. The concatenated
 * pieces equal the text.
 */
export function piecesOf(text: string): Piece[] {
  if (countedBySize(text)) return slices(text);
  const pieces: Piece[] = [];
  let at = 0;
  let open: number[] = [];
  for (const token of encode(text, asPlainText)) {
    open.push(token);
    const part = decode(open);
    if (!text.startsWith(part, at)) continue;
    pieces.push({ text: part, tokens: open.length });
    at += part.length;
    open = [];
  }
  if (at < text.length) pieces.push({ text: text.slice(at), tokens: Math.max(open.length, 1) });
  return pieces;
}

/** Sum of the tokens of some pieces. */
export function tokensOf(pieces: readonly Piece[]): number {
  let total = 0;
  for (const piece of pieces) total += piece.tokens;
  return total;
}

/** The longest prefix of at most `limit` tokens, and whether anything was left out. */
export function takeTokens(pieces: readonly Piece[], limit: number): { pieces: Piece[]; tokens: number; cut: boolean } {
  const taken: Piece[] = [];
  let tokens = 0;
  for (const piece of pieces) {
    if (tokens + piece.tokens > limit) return { pieces: taken, tokens, cut: true };
    taken.push(piece);
    tokens += piece.tokens;
  }
  return { pieces: taken, tokens, cut: false };
}
