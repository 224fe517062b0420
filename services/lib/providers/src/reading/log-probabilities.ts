import { Pace } from "@uag/runtime/pace";
import { endOfString } from "@uag/untrusted/json/string-end";
import { UpstreamFailure, unusableResponse } from "../failure.ts";
import { valueEnd } from "../json-edit.ts";
import { maxBlankBytes } from "./body-kind.ts";
import { CutLists } from "./cut-lists.ts";

/** Lists up to this length are parsed with the rest of their response. */
const smallBytes = 64 * 1024;
/** The entry of one token has twenty alternatives of some hundred bytes each. */
const maxEntryBytes = 64 * 1024;
/** Entries parsed at a time, bytes: about 2 ms. */
const batchBytes = 128 * 1024;

const member = Buffer.from('"logprobs"');
const quote = 34;
const comma = 44;
const colon = 58;
const openBracket = 91;
const closeBracket = 93;
const openBrace = 123;

/** A response whose long lists of log probabilities are kept apart. */
export interface SlimResponse {
  /** The response with a mark in place of each list's entries. */
  readonly body: Buffer;
  readonly lists: CutLists;
}

/**
 * Cuts the long lists of log probabilities out of a response (OpenAI's reference, the chat
 * completion object), in turns of the event loop: they are 99 percent of the largest responses, and
 * clients get them unchanged. Each entry is checked to be JSON.
 * @throws {UpstreamFailure} `transient` when one is not, or is too long
 */
export async function withoutLogProbabilities(body: Buffer): Promise<SlimResponse> {
  const lists = new CutLists();
  const pieces: Buffer[] = [];
  const pace = new Pace();
  let copied = 0;
  let at = 0;
  for (let found = body.indexOf(member); found >= 0; found = body.indexOf(member, at)) {
    at = found + member.length;
    for (let list = firstList(body, at); list !== undefined; list = nextList(body, at)) {
      at = await checkedEntries(body, list, pace);
      if (at - list <= smallBytes) continue;
      pieces.push(body.subarray(copied, list), Buffer.from(JSON.stringify(lists.add([body.subarray(list, at)]))));
      copied = at;
    }
    if (pace.isOver) await pace.rest();
  }
  return { body: copied === 0 ? body : Buffer.concat([...pieces, body.subarray(copied)]), lists };
}

/** Where the entries begin of the first list in the object after a member's name. */
function firstList(body: Buffer, from: number): number | undefined {
  const at = skipSpace(body, from);
  if (body[at] !== colon) return undefined;
  const value = skipSpace(body, at + 1);
  return body[value] === openBrace ? listFrom(body, value + 1) : undefined;
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
    at = skipSpace(body, endOfString(body, at + 1) + 1);
    if (body[at] !== colon) return undefined;
    const value = skipSpace(body, at + 1);
    const first = skipSpace(body, value + 1);
    if (body[value] === openBracket && body[first] !== closeBracket) return first;
    const end = valueEnd(body.subarray(0, value + maxEntryBytes), value);
    at = skipSpace(body, end);
    if (body[at] !== comma) return undefined;
  }
  return undefined;
}

/** Returns the offset of the closing bracket. */
async function checkedEntries(body: Buffer, from: number, pace: Pace): Promise<number> {
  let batchFrom = from;
  for (let at = from; ; ) {
    const end = entryEnd(body, at);
    const next = skipSpace(body, end);
    const isLast = body[next] === closeBracket;
    if (!isLast && body[next] !== comma) throw malformed();
    if (isLast || next - batchFrom > batchBytes) {
      checkJson(body, batchFrom, end);
      batchFrom = next + 1;
      if (pace.isOver) await pace.rest();
    }
    if (isLast) return next;
    at = skipSpace(body, next + 1);
  }
}

function entryEnd(body: Buffer, at: number): number {
  const bounded = body.subarray(at, at + maxEntryBytes);
  if (bounded.length === 0) throw malformed();
  const length = valueEnd(bounded, 0);
  if (length === 0) throw malformed();
  if (length < bounded.length || bounded.length < maxEntryBytes) return at + length;
  throw unusableResponse(`the response has a log probability of more than ${maxEntryBytes} bytes`);
}

function checkJson(body: Buffer, from: number, to: number): void {
  try {
    JSON.parse(`[${body.toString("utf8", from, to)}]`);
  } catch (error) {
    throw malformed(error);
  }
}

function malformed(cause?: unknown): UpstreamFailure {
  return new UpstreamFailure("transient", "the upstream's response is not JSON", { status: 200, cause });
}

/** After a longer run of white space than any response has, its position within the run. */
function skipSpace(body: Buffer, from: number): number {
  const end = Math.min(body.length, from + maxBlankBytes);
  let at = from;
  while (at < end && (body[at] as number) <= 32) at++;
  return at;
}
