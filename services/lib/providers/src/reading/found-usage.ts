import { type Fields, isFields, parsedJson } from "../conversation/fields.ts";
import { valueEnd } from "../json-edit.ts";
import type { UsageReport } from "../usage-report.ts";

/** Reads the usage that a response object reports, whatever else is in it. */
export type UsageIn = (response: Fields) => UsageReport | undefined;

const names = ["usage", "usageMetadata"];
/** Usage follows the content, and is rarely longer than a KiB. */
const searchedBytes = 256 * 1024;
const maxMatches = 64;
const colon = 58;
const backslash = 92;
const openingBrace = 123;

/**
 * The last usage that a body reports, which need not be valid: an error beside usage, the end of a
 * response that is too long, a stream that was cut off.
 */
export function foundUsage(body: Buffer, usageIn: UsageIn): UsageReport | undefined {
  const end = body.subarray(Math.max(0, body.length - searchedBytes));
  for (const name of names) {
    const found = lastObject(end, name, (value) => usageIn({ [name]: value }));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The last member of this name whose object is accepted. */
function lastObject<T>(bytes: Buffer, name: string, accept: (value: Fields) => T | undefined): T | undefined {
  const key = Buffer.from(JSON.stringify(name));
  let before = bytes.length;
  for (let matches = 0; before > 0 && matches < maxMatches; matches++) {
    const at = bytes.lastIndexOf(key, before - 1);
    if (at < 0) return undefined;
    before = at;
    // Within a string the quotes are escaped.
    const value = bytes[at - 1] === backslash ? undefined : objectAfter(bytes, at + key.length);
    const accepted = value && accept(value);
    if (accepted !== undefined) return accepted;
  }
  return undefined;
}

function objectAfter(bytes: Buffer, from: number): Fields | undefined {
  let at = from;
  while (at < bytes.length && (bytes[at] === colon || (bytes[at] as number) <= 32)) at++;
  if (bytes[at] !== openingBrace) return undefined;
  const value = parsedJson(bytes.toString("utf8", at, valueEnd(bytes, at)));
  return isFields(value) ? value : undefined;
}
