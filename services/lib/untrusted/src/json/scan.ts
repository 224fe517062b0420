import { randomInt } from "node:crypto";
import { nextTurn } from "@uag/runtime/next-turn";
import { longBytes, type Span } from "./long-strings.ts";
import { endWithin } from "./string-end.ts";

/** Limits on the structure of one text. */
export interface JsonLimits {
  /** Nesting depth of objects and arrays. */
  readonly depth: number;
  /** Objects, arrays, strings and literals: all values but numbers. */
  readonly values: number;
  /** Numbers, which cost a tenth of other values. */
  readonly numbers: number;
  /** Distinct member names as written: the engine interns each, which costs most of all. */
  readonly names: number;
  /** Bytes of one name. */
  readonly nameBytes: number;
  /** Characters of one number, or of an invalid literal. */
  readonly wordBytes: number;
  /** Bytes of one run of white space. */
  readonly blankBytes: number;
}

/** Longer than any name or number in practice; white space costs little. */
export const maxLengths = { nameBytes: 64 * 1024, wordBytes: 4 * 1024, blankBytes: Number.POSITIVE_INFINITY } as const;

/** What was counted up to the end, or up to the exceeded limit. */
export interface JsonCounts extends Readonly<Record<keyof JsonLimits, number>> {
  /** The limit that was exceeded, if any. */
  readonly passed: keyof JsonLimits | undefined;
  /** The member of the outermost object in which the limit was exceeded, as written. */
  readonly member: string | undefined;
  /** Long runs of white space, and values that are long strings. */
  readonly longSpans: readonly Span[];
}

const quote = 0x22;
const colon = 0x3a;
const comma = 0x2c;
const space = 0x20;

/** Bytes inspected one by one until a turn of the event loop ends: about 4 ms. */
export const scannedPerTurn = 4 * 1024 * 1024;

/**
 * Counts what parsing a JSON text would create, in one pass and without creating any of it: the
 * cost of `JSON.parse` grows with these counts, not only with the bytes. Validation is left to the
 * parser, which stops at the first fault; up to there the counts are exact.
 */
export function scanJson(bytes: Buffer, limits: JsonLimits): JsonCounts {
  const scan = scanning(bytes, limits);
  for (;;) {
    const { done, value } = scan.next();
    if (done === true) return value;
  }
}

/** Like {@link scanJson}, in turns of the event loop. */
export async function scanJsonInTurns(bytes: Buffer, limits: JsonLimits): Promise<JsonCounts> {
  const scan = scanning(bytes, limits);
  for (;;) {
    const { done, value } = scan.next();
    if (done === true) return value;
    await nextTurn();
  }
}

/**
 * Yields its position at least after every two times {@link scannedPerTurn} bytes, without those that
 * the native search skips, plus one name, number or run of white space.
 */
export function* scanning(bytes: Buffer, limits: JsonLimits): Generator<number, JsonCounts, undefined> {
  const { depth: maxDepth, values: maxValues, numbers: maxNumbers, names: maxNames } = limits;
  const { nameBytes: maxNameLength, wordBytes: maxWordLength, blankBytes: maxBlankLength } = limits;
  const { length } = bytes;
  const different = new NameCounter(maxNames);
  let [at, depth, deepest, values, numbers, names] = [0, 0, 0, 0, 0, 0];
  let [memberFrom, memberTo, nameBytes, wordBytes, blankBytes] = [0, 0, 0, 0, 0];
  let turnEnd = scannedPerTurn;
  const longSpans: Span[] = [];
  while (at < length && deepest <= maxDepth && values <= maxValues && numbers <= maxNumbers && names <= maxNames) {
    if (nameBytes > maxNameLength || wordBytes > maxWordLength || blankBytes > maxBlankLength) break;
    if (at >= turnEnd) {
      yield at;
      turnEnd = at + scannedPerTurn;
    }
    const byte = bytes[at] as number;
    if (byte === quote) {
      let end = endWithin(bytes, at + 1, scannedPerTurn);
      while (end < 0) {
        yield -end;
        turnEnd = scannedPerTurn - end;
        end = endWithin(bytes, -end, scannedPerTurn);
      }
      const next = afterSpace(bytes, end + 1, maxBlankLength);
      blankBytes = Math.max(blankBytes, next - end - 1);
      if (bytes[next] !== colon) {
        values++;
        if (end - at > longBytes) longSpans.push({ from: at + 1, to: end, isBlank: false });
      } else {
        nameBytes = Math.max(nameBytes, end - at - 1);
        if (nameBytes <= maxNameLength) names = different.add(bytes, at + 1, end);
        if (depth === 1) [memberFrom, memberTo] = [at + 1, end];
      }
      if (next - end > longBytes) longSpans.push({ from: end + 1, to: next, isBlank: true });
      at = next;
    } else if (byte <= space) {
      const next = afterSpace(bytes, at, maxBlankLength);
      blankBytes = Math.max(blankBytes, next - at);
      if (next - at > longBytes) longSpans.push({ from: at, to: next, isBlank: true });
      at = next;
    } else if (byte === comma || byte === colon) {
      at++;
    } else if (byte === 0x7b || byte === 0x5b) {
      at++;
      values++;
      if (++depth > deepest) deepest = depth;
    } else if (byte === 0x7d || byte === 0x5d) {
      at++;
      depth--;
    } else {
      if (byte <= 0x39) numbers++;
      else values++;
      const end = endOfWord(bytes, at + 1, maxWordLength);
      wordBytes = Math.max(wordBytes, end - at);
      at = end;
    }
  }
  const counts = { depth: deepest, values, numbers, names, nameBytes, wordBytes, blankBytes };
  const passed = (Object.keys(counts) as (keyof JsonLimits)[]).find((name) => counts[name] > limits[name]);
  const isWithin = passed !== undefined && depth > 1 && memberTo > memberFrom;
  return {
    ...counts,
    passed,
    longSpans,
    member: isWithin ? bytes.toString("utf8", memberFrom, memberTo) : undefined,
  };
}

/** The end of a run of white space; for one above the maximum length, just beyond the maximum. */
function afterSpace(bytes: Buffer, from: number, maxLength: number): number {
  const length = Math.min(bytes.length, from + maxLength + 1);
  let at = from;
  while (at < length && (bytes[at] as number) <= space) at++;
  return at;
}

/**
 * The end of a number, a literal, or an invalid word; for one above the maximum length, somewhere
 * inside it.
 */
function endOfWord(bytes: Buffer, from: number, maxLengths: number): number {
  const length = Math.min(bytes.length, from + maxLengths);
  let at = from;
  for (; at < length; at++) {
    const byte = bytes[at] as number;
    if (byte === comma || byte <= space || byte === 0x7d || byte === 0x5d || byte === quote) return at;
  }
  return at;
}

/** Random per process: anyone who knew it could craft names with colliding hashes. */
const [seed, factor] = [randomInt(2 ** 32), randomInt(2 ** 31) * 2 + 1];

/** Counts distinct names by their hashes, up to one above a limit. */
class NameCounter {
  readonly #max: number;
  /** Open addressing, at most half full; 0 marks a free slot. */
  #places: Int32Array | undefined;
  #count = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Adds the name in `bytes[from, to)` and returns the number of distinct names. */
  add(bytes: Buffer, from: number, to: number): number {
    let hash = seed;
    for (let at = from; at < to; at++) {
      hash = Math.imul(hash ^ (bytes[at] as number), factor);
      hash ^= hash >>> 15;
    }
    if (hash === 0) hash = 1;
    this.#places ??= new Int32Array(2 ** Math.ceil(Math.log2(2 * this.#max + 4)));
    const places = this.#places;
    const mask = places.length - 1;
    let place = hash & mask;
    while (places[place] !== 0 && places[place] !== hash) place = (place + 1) & mask;
    if (places[place] === 0 && this.#count <= this.#max) {
      places[place] = hash;
      this.#count++;
    }
    return this.#count;
  }
}
