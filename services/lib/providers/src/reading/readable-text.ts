import { endOfString } from "@uag/untrusted/json/string-end";

/** The members that hold generated text, in all providers' protocols. */
const members = [
  "content",
  "text",
  "thinking",
  "reasoning_content",
  "reasoning",
  "refusal",
  "arguments",
  "partial_json",
];
const keys = members.map((name) => Buffer.from(JSON.stringify(name)));
const quote = 34;
const colon = 58;

/** More than any model writes. */
const searchedBytes = 8 * 1024 * 1024;
/** A stream has one for each token. */
const maxTexts = 50_000;

/**
 * The generated text in the beginning of a body that cannot be parsed, for an estimate of its
 * tokens; escapes are left as they are.
 * @param pieces of the body
 */
export function readableText(pieces: readonly Buffer[]): string {
  const body = beginning(pieces);
  let text = "";
  let left = maxTexts;
  for (const key of keys) {
    const found = textsOf(body, key, left);
    text += found.join("");
    left -= found.length;
  }
  return text;
}

function beginning(pieces: readonly Buffer[]): Buffer {
  if (pieces.length === 1) return (pieces[0] as Buffer).subarray(0, searchedBytes);
  const used: Buffer[] = [];
  let size = 0;
  for (const piece of pieces) {
    if (size >= searchedBytes) break;
    used.push(piece);
    size += piece.length;
  }
  return Buffer.concat(used, Math.min(size, searchedBytes));
}

function textsOf(body: Buffer, key: Buffer, max: number): string[] {
  const texts: string[] = [];
  for (let at = body.indexOf(key); at >= 0 && texts.length < max; ) {
    let start = at + key.length;
    while (start < body.length && (body[start] === colon || (body[start] as number) <= 32)) start++;
    const end = body[start] === quote ? endOfString(body, start + 1) : start;
    texts.push(body.toString("utf8", start + 1, end));
    at = body.indexOf(key, Math.max(end, at + key.length));
  }
  return texts;
}
