import { endOfString } from "@uag/untrusted/json/string-end";

/** A member that holds generated text in a provider's protocol, up to the text's first character. */
const textMember =
  /"(?:content|text|thinking|reasoning_content|reasoning|refusal|arguments|partial_json)"[ \t\r\n]*:[ \t\r\n]*"/g;

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
  // A character for each byte, so that positions are the same in both.
  const characters = body.toString("latin1");
  let text = "";
  textMember.lastIndex = 0;
  for (let left = maxTexts; left > 0 && textMember.test(characters); left--) {
    const start = textMember.lastIndex;
    const end = endOfString(body, start);
    text += characters.slice(start, end);
    textMember.lastIndex = end + 1;
  }
  return Buffer.from(text, "latin1").toString();
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
