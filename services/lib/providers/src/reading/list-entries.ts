import type { Pace } from "@uag/runtime/pace";
import { UpstreamFailure, unusableResponse } from "../failure.ts";
import { valueEnd } from "../json-edit.ts";
import { maxBlankBytes } from "./body-kind.ts";

/** Lists up to this length are parsed with the rest of their response. */
export const smallListBytes = 64 * 1024;
/** The log probabilities of one token have twenty alternatives of some hundred bytes each. */
export const maxEntryBytes = 64 * 1024;
/** Entries parsed at a time, bytes: about 2 ms. */
const batchBytes = 128 * 1024;

const comma = 44;
const colon = 58;
const openBracket = 91;
const closeBracket = 93;

/**
 * Where a member's value begins; undefined if no colon follows.
 * @param from the end of the member's name
 */
export function memberValue(body: Buffer, from: number): number | undefined {
  const at = skipSpace(body, from);
  return body[at] === colon ? skipSpace(body, at + 1) : undefined;
}

/** Where the entries of a list begin; undefined for an empty list, or another value. */
export function firstEntry(body: Buffer, value: number): number | undefined {
  const first = skipSpace(body, value + 1);
  return body[value] === openBracket && body[first] !== closeBracket ? first : undefined;
}

/**
 * Checks, in turns of the event loop, that a list's entries are JSON.
 * @param from where the first entry begins
 * @returns the offset of the closing bracket
 * @throws {UpstreamFailure} `transient` when an entry is not JSON, or is too long
 */
export async function checkedEntries(body: Buffer, from: number, pace: Pace): Promise<number> {
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
  throw unusableResponse(`the response has a list with an entry of more than ${maxEntryBytes} bytes`);
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
export function skipSpace(body: Buffer, from: number): number {
  const end = Math.min(body.length, from + maxBlankBytes);
  let at = from;
  while (at < end && (body[at] as number) <= 32) at++;
  return at;
}
