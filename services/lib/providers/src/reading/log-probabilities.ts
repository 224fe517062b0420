import { Pace } from "@uag/runtime/pace";
import { endOfString } from "@uag/untrusted/json/string-end";
import { valueEnd } from "../json-edit.ts";
import type { CutLists } from "./cut-lists.ts";
import { checkedEntries, firstEntry, maxEntryBytes, memberValue, skipSpace, smallListBytes } from "./list-entries.ts";

const member = Buffer.from('"logprobs"');
const quote = 34;
const comma = 44;
const closeBracket = 93;
const openBrace = 123;

/**
 * Cuts the long lists of log probabilities out of a response (OpenAI's reference, the chat
 * completion object), in turns of the event loop: they are 99 percent of the largest responses, and
 * clients get them unchanged. Each entry is checked to be JSON.
 * @param lists receives the lists
 * @returns the response with a mark in place of each list's entries
 * @throws {UpstreamFailure} `transient` when one is not, or is too long
 */
export async function withoutLogProbabilities(body: Buffer, lists: CutLists): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const pace = new Pace();
  let copied = 0;
  let at = 0;
  for (let found = body.indexOf(member); found >= 0; found = body.indexOf(member, at)) {
    at = found + member.length;
    for (let list = firstList(body, at); list !== undefined; list = nextList(body, at)) {
      at = await checkedEntries(body, list, pace);
      if (at - list <= smallListBytes) continue;
      pieces.push(body.subarray(copied, list), Buffer.from(JSON.stringify(lists.add([body.subarray(list, at)]))));
      copied = at;
    }
    if (pace.isOver) await pace.rest();
  }
  return copied === 0 ? body : Buffer.concat([...pieces, body.subarray(copied)]);
}

/** Where the entries begin of the first list in the object after a member's name. */
function firstList(body: Buffer, from: number): number | undefined {
  const value = memberValue(body, from);
  return value !== undefined && body[value] === openBrace ? listFrom(body, value + 1) : undefined;
}

/** Where the entries begin of the next list in the same object, after a list's closing bracket. */
function nextList(body: Buffer, from: number): number | undefined {
  if (body[from] !== closeBracket) return undefined;
  const at = skipSpace(body, from + 1);
  return body[at] === comma ? listFrom(body, at + 1) : undefined;
}

/** Skips members whose value is not a list with entries. */
function listFrom(body: Buffer, from: number): number | undefined {
  for (let at = skipSpace(body, from); body[at] === quote; at = skipSpace(body, at + 1)) {
    const value = memberValue(body, endOfString(body, at + 1) + 1);
    if (value === undefined) return undefined;
    const first = firstEntry(body, value);
    if (first !== undefined) return first;
    const end = valueEnd(body.subarray(0, value + maxEntryBytes), value);
    at = skipSpace(body, end);
    if (body[at] !== comma) return undefined;
  }
  return undefined;
}
