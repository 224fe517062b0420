import { maxBodyBytesOfKind } from "@uag/contract/body-limits";

const mebi = 1024 * 1024;
const maxBytes = maxBodyBytesOfKind("json");
/** For small items this size is as bad as more. */
const muchBytes = 12 * mebi;

/** A body that fills `bytes` with repetitions of `item(n)` between a start and an end. */
function filled(begin: string, item: (n: number) => string, end: string, bytes = muchBytes): string {
  const pieces: string[] = [];
  let size = Buffer.byteLength(begin) + Buffer.byteLength(end);
  for (let n = 0; ; n++) {
    const piece = n === 0 ? item(n) : `,${item(n)}`;
    size += Buffer.byteLength(piece);
    if (size > bytes) break;
    pieces.push(piece);
  }
  return begin + pieces.join("") + end;
}

/** A text of `length` characters that repeats `piece`, as JSON. */
const long = (piece: string, length: number): string => piece.repeat(Math.floor(length / piece.length));

export interface WorstBody {
  readonly what: string;
  readonly text: string;
}

/** Bodies that exceed the limits on their structure, within 12 MiB. */
function* beyondLimits(start: string, within: string): Generator<WorstBody> {
  const deep = muchBytes / 2 - 500;
  yield { what: "the deepest lists", text: `${within}${"[".repeat(deep)}${"]".repeat(deep)}}` };
  yield { what: "the deepest objects, unclosed", text: within + '{"a":'.repeat(2_000_000) };
  yield { what: "the most numbers in a list", text: filled(`${within}[`, () => "1", "]}") };
  yield { what: "the most empty lists", text: filled(`${within}[`, () => "[]", "]}") };
  yield { what: "the most empty objects", text: filled(`${within}[`, () => "{}", "]}") };
  yield { what: "the most short texts", text: filled(`${within}[`, (n) => `"${n}"`, "]}") };
  yield { what: "the most names in one object", text: filled(`${within}{`, (n) => `"k${n}":1`, "}}") };
  yield { what: "the most members of the body", text: filled(start, (n) => `"k${n}":1`, "}") };
  yield { what: "the most objects of one name", text: filled(`${within}[`, (n) => `{"k${n}":1}`, "]}") };
  yield { what: "one name repeated", text: filled(start, () => '"x":""', "}") };
}

/** Few values of maximum length. */
function* longest(start: string): Generator<WorstBody> {
  const length = maxBytes - 1_000;
  const text = (piece: string): string => `${start}"x":"${long(piece, length)}"}`;
  yield { what: "the longest text", text: text("x") };
  yield { what: "the most quotes in a text", text: text('\\"') };
  yield { what: "the most escapes", text: text("\\u0000") };
  yield { what: "the most lone surrogates", text: text("\\ud800") };
  yield { what: "the longest number", text: `${start}"x":${long("1", length)}}` };
  yield { what: "the most white space", text: `${start}"x":${long(" ", length)}1}` };
  yield { what: "the longest name", text: `${start}"${long("x", length)}":1}` };
}

/** Bodies that are just within the limits. */
function* atLimits(start: string, within: string): Generator<WorstBody> {
  const many = (item: (n: number) => string, count = 90_000): string =>
    `${within}[${Array.from({ length: count }, (_, n) => item(n)).join()}]}`;
  const names = (n: number): string => Array.from({ length: 9 }, (_, at) => `"k${(n * 9 + at) % 9_000}":"${n}"`).join();
  yield { what: "90,000 numbers", text: many(() => "1") };
  yield { what: "90,000 nulls", text: many(() => "null") };
  yield { what: "90,000 empty objects", text: many(() => "{}") };
  yield { what: "90,000 short texts", text: many((n) => `"${n}"`) };
  yield { what: "9,000 objects of 9 names each", text: many((n) => `{${names(n)}}`, 9_000) };
  yield { what: "40,000 parts with only a type", text: many(() => '{"type":"text"}', 40_000) };
  yield { what: "9,000 members of the body", text: filled(start, (n) => `"k${n}":1`, "}", 90_000) };
}

/**
 * The worst bodies that can be made from a valid request.
 * @param good the valid request
 * @param list its member that gets another value
 */
export function* worstBodies(good: object, list: string): Generator<WorstBody> {
  const start = `${JSON.stringify(good).slice(0, -1)},`;
  const within = `${start}${JSON.stringify(list)}:`;
  yield* beyondLimits(start, within);
  yield* longest(start);
  yield* atLimits(start, within);
}
