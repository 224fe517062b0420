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

/**
 * The generated text in a body that cannot be parsed, for an estimate of its tokens; escapes are
 * left as they are.
 */
export function readableText(body: Buffer): string {
  return keys.map((key) => textsOf(body, key)).join("");
}

function textsOf(body: Buffer, key: Buffer): string {
  let text = "";
  for (let at = body.indexOf(key); at >= 0; ) {
    let start = at + key.length;
    while (start < body.length && (body[start] === colon || (body[start] as number) <= 32)) start++;
    const end = body[start] === quote ? endOfString(body, start + 1) : start;
    text += body.toString("utf8", start + 1, end);
    at = body.indexOf(key, Math.max(end, at + key.length));
  }
  return text;
}
