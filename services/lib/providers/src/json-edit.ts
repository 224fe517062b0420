import { endOfString } from "@uag/untrusted/json/string-end";

const quote = 34;
const comma = 44;
const colon = 58;
const openings = new Set([91, 123]);
const closings = new Set([93, 125]);

/** The position of a member of the outermost object: `"key": value`, offsets in bytes. */
export interface Member {
  readonly key: string;
  readonly start: number;
  readonly valueStart: number;
  /** Exclusive. */
  readonly end: number;
}

/**
 * The members of a JSON object, in order, including duplicates. The bytes must be valid JSON:
 * nothing is validated here.
 */
export function topLevelMembers(bytes: Buffer): Member[] {
  const members: Member[] = [];
  let at = skipSpace(bytes, bytes.indexOf(123) + 1);
  while (bytes[at] === quote) {
    const keyEnd = stringEnd(bytes, at);
    const valueStart = skipSpace(bytes, skipSpace(bytes, keyEnd) + 1);
    const end = valueEnd(bytes, valueStart);
    members.push({ key: keyText(bytes, at, keyEnd), start: at, valueStart, end });
    at = skipSpace(bytes, end);
    if (bytes[at] !== comma) break;
    at = skipSpace(bytes, at + 1);
  }
  return members;
}

/**
 * Replaces (`text`: raw JSON), inserts or removes (`undefined`) members of the outermost object;
 * every other byte stays unchanged, so numbers that no double can represent survive. Of a duplicate
 * key only the last member is kept: our own parser saw that one, and no upstream may see another.
 * Returns the same buffer when nothing changes.
 */
export function editMembers(
  bytes: Buffer,
  members: readonly Member[],
  edits: ReadonlyMap<string, string | Buffer | undefined>,
): Buffer {
  const last = new Map(members.map((member) => [member.key, member]));
  const changes = members.length !== last.size || [...edits].some(([key, text]) => text !== undefined || last.has(key));
  if (!changes) return bytes;
  const pieces: Buffer[] = [];
  const first = members[0];
  const open = first === undefined ? bytes.indexOf(123) + 1 : first.start;
  pieces.push(bytes.subarray(0, open));
  let previousEnd = open;
  let kept = 0;
  for (const member of members) {
    const separator = bytes.subarray(previousEnd, member.start);
    previousEnd = member.end;
    if (last.get(member.key) !== member) continue;
    if (edits.has(member.key) && edits.get(member.key) === undefined) continue;
    if (kept++ > 0) pieces.push(separator);
    const text = edits.get(member.key);
    pieces.push(bytes.subarray(member.start, text === undefined ? member.end : member.valueStart));
    if (text !== undefined) pieces.push(typeof text === "string" ? Buffer.from(text) : text);
  }
  for (const [key, text] of edits) {
    if (text === undefined || last.has(key)) continue;
    pieces.push(Buffer.from(`${kept++ > 0 ? "," : ""}${JSON.stringify(key)}:`), Buffer.from(text));
  }
  pieces.push(bytes.subarray(previousEnd));
  return Buffer.concat(pieces);
}

/** The position of a list's element, offsets in bytes. */
export type Element = Pick<Member, "start" | "end">;

/**
 * The elements of a JSON list, in order. The bytes must be valid JSON: nothing is validated here.
 */
export function elementsOf(bytes: Buffer): Element[] {
  const elements: Element[] = [];
  let at = skipSpace(bytes, bytes.indexOf(91) + 1);
  while (at < bytes.length && bytes[at] !== 93) {
    const end = valueEnd(bytes, at);
    elements.push({ start: at, end });
    at = skipSpace(bytes, end);
    if (bytes[at] === comma) at = skipSpace(bytes, at + 1);
  }
  return elements;
}

/** A list of these elements (raw JSON), skipping undefined ones. */
export function listOfElements(elements: readonly (Buffer | undefined)[]): Buffer {
  const pieces: Buffer[] = [];
  for (const element of elements)
    if (element !== undefined) pieces.push(Buffer.from(pieces.length > 0 ? "," : "["), element);
  return Buffer.concat([...(pieces.length > 0 ? pieces : [Buffer.from("[")]), Buffer.from("]")]);
}

function keyText(bytes: Buffer, start: number, end: number): string {
  const raw = bytes.toString("utf8", start, end);
  return raw.includes("\\") ? (JSON.parse(raw) as string) : raw.slice(1, -1);
}

function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === 32 || bytes[at] === 10 || bytes[at] === 13 || bytes[at] === 9) at++;
  return at;
}

/** The offset after the closing quote of the string that opens at `start`. */
function stringEnd(bytes: Buffer, start: number): number {
  return Math.min(endOfString(bytes, start + 1) + 1, bytes.length);
}

/** The end of the value that begins at `start`, exclusive; the bytes' end when it is incomplete. */
export function valueEnd(bytes: Buffer, start: number): number {
  const opening = bytes[start] as number;
  if (opening === quote) return stringEnd(bytes, start);
  if (!openings.has(opening)) return scalarEnd(bytes, start);
  let depth = 0;
  for (let at = start; at < bytes.length; ) {
    const byte = bytes[at] as number;
    if (byte === quote) {
      at = stringEnd(bytes, at);
      continue;
    }
    if (byte === 123 || byte === 91) depth++;
    else if ((byte === 125 || byte === 93) && --depth === 0) return at + 1;
    at++;
  }
  return bytes.length;
}

function scalarEnd(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length) {
    const byte = bytes[at] as number;
    if (byte === comma || byte === colon || closings.has(byte) || byte <= 32) break;
    at++;
  }
  return at;
}
