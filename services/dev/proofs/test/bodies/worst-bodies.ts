import { maxBodyBytesOfKind } from "@uag/contract/body-limits";

const mebi = 1024 * 1024;
const maxBytes = maxBodyBytesOfKind("json");
/** For small items this size is as bad as more. */
const muchBytes = 12 * mebi;

/** Items that are separated by commas and fill `bytes`, as JSON. */
function filler(item: (n: number) => string, bytes = muchBytes): string {
  const pieces: string[] = [];
  for (let [n, size] = [0, 0]; size < bytes; n++) {
    const piece = item(n);
    pieces.push(piece);
    size += piece.length + 1;
  }
  return pieces.join();
}

/** The same for a constant item. */
const repeated = (item: string): string => `${`${item},`.repeat(Math.floor(muchBytes / (item.length + 1)))}${item}`;

/** Contents of lists and objects that exceed the limits on their number. All requests share them. */
const contents = {
  numbers: repeated("1"),
  lists: repeated("[]"),
  objects: repeated("{}"),
  texts: filler((n) => `"${n}"`),
  members: filler((n) => `"k${n}":1`),
  objectsOfOneName: filler((n) => `{"k${n}":1}`),
  oneName: repeated('"x":""'),
};

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
  yield { what: "the most numbers in a list", text: `${within}[${contents.numbers}]}` };
  yield { what: "the most empty lists", text: `${within}[${contents.lists}]}` };
  yield { what: "the most empty objects", text: `${within}[${contents.objects}]}` };
  yield { what: "the most short texts", text: `${within}[${contents.texts}]}` };
  yield { what: "the most names in one object", text: `${within}{${contents.members}}}` };
  yield { what: "the most members of the body", text: `${start}${contents.members}}` };
  yield { what: "the most objects of one name", text: `${within}[${contents.objectsOfOneName}]}` };
  yield { what: "one name repeated", text: `${start}${contents.oneName}}` };
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
  yield { what: "9,000 members of the body", text: `${start}${filler((n) => `"k${n}":1`, 90_000)}}` };
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
