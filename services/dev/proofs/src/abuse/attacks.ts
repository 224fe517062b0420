import { maxBodyBytesOfKind } from "@uag/contract/body-limits";
import { filledPath, pathParameters } from "@uag/contract/routes";
import type { Target } from "./targets.ts";

/** One expensive kind of request. */
export interface Attack {
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Creates the body, in pieces that are sent one after another. */
  readonly body: () => readonly Buffer[];
  /** Pause between pieces, milliseconds. */
  readonly pauseMs?: number;
  /** Number of concurrent requests. */
  readonly parallel?: number;
}

/** Maximum size of a body without its fill, bytes. */
const envelopeBytes = 4_096;
const maxForm = maxBodyBytesOfKind("multipart") - envelopeBytes;
const maxJsonOf = ({ maxBodyBytes = maxBodyBytesOfKind("json") }: Target): number => maxBodyBytes - envelopeBytes;
const maxHeaderLength = 15_000;
const mark = "@@fill@@";

const json = { "content-type": "application/json" };
const text = (value: string): Buffer => Buffer.from(value);

/** Creates a body, or the fill of one, of at most this many bytes. */
type Fill = (max: number) => Buffer;

const longText: Fill = (max) => text(`"${"a".repeat(max)}"`);

/** Fills for the main field of a valid request, as raw JSON of nearly the maximum size. */
const fills: Readonly<Record<string, Fill>> = {
  "one long text": longText,
  "one long text of wide characters": (max) => text(`"${"汉".repeat(max / 3)}"`),
  "one long text with one wide character": (max) => text(`"${"a".repeat(max - 3)}汉"`),
  "two long texts with wide characters": (max) =>
    text(`["汉${"a".repeat(max / 2 - 10)}","汉${"b".repeat(max / 2 - 10)}"]`),
  "long texts in parts": (max) =>
    text(`[${Array.from({ length: 20 }, () => `{"type":"text","text":"汉${"a".repeat(max / 20 - 100)}"}`).join(",")}]`),
  "hundreds of text parts": (max) =>
    text(`[${Array.from({ length: max / 60_100 }, () => `{"type":"text","text":"${"a".repeat(60_000)}"}`).join(",")}]`),
  "one long escaped text": (max) => text(`"${"\\u4e00".repeat(max / 6)}"`),
  "millions of levels": (max) => text("[".repeat(max / 2) + "]".repeat(max / 2)),
  "objects in objects": () => text(`${'{"a":'.repeat(2_000_000)}1${"}".repeat(2_000_000)}`),
  "a million members": () => text(`{${Array.from({ length: 1_000_000 }, (_, i) => `"k${i}":1`).join(",")}}`),
  "millions of numbers": (max) => text(`[${"1,".repeat(max / 2 - 2)}1]`),
  "half a million parts": () => text(`[${'{"type":"text","text":"a"},'.repeat(500_000)}{"type":"text","text":"a"}]`),
  "a million texts": () => text(`[${'"a",'.repeat(1_000_000)}"a"]`),
  "long digits": (max) => text("9".repeat(max)),
};

/** Bodies that are not JSON. */
const broken: Readonly<Record<string, Fill>> = {
  "not JSON": (max) => Buffer.alloc(max, "x"),
  "not UTF-8": (max) => Buffer.alloc(max, 0xff),
};

function around(sample: (fill: unknown) => object, fill: Buffer): Buffer {
  const [before = "", after = ""] = JSON.stringify(sample(mark)).split(`"${mark}"`);
  return Buffer.concat([text(before), fill, text(after)]);
}

const pictureStart = Buffer.from("\x89PNG\r\n\x1a\n\0", "latin1").toString("base64");

function* jsonAttacks(path: string, target: Target, thirdParty: string): Generator<Attack> {
  const { sample, withUrls, withPicture } = target;
  if (sample === undefined) return;
  const max = maxJsonOf(target);
  for (const [name, fill] of Object.entries(fills))
    yield { name, path, headers: json, body: () => [around(sample, fill(max))] };
  const replayed = { ...json, "idempotency-key": "abuse" };
  yield {
    name: "one long text, with an idempotency key",
    path,
    headers: replayed,
    body: () => [around(sample, longText(max))],
  };
  const endless = { ...json, "idempotency-key": "a".repeat(10_000) };
  yield {
    name: "one long text, with an endless idempotency key",
    path,
    headers: endless,
    body: () => [around(sample, longText(max))],
  };
  for (const [name, fill] of Object.entries(broken)) yield { name, path, headers: json, body: () => [fill(max)] };
  const wide = (): Buffer => text(`{${Array.from({ length: 500_000 }, (_, i) => `"k${i}":${i}`).join(",")}}`);
  yield { name: "half a million fields", path, headers: json, body: () => [wide()] };
  if (withPicture !== undefined) {
    const begin = `${withPicture.asUrl ? "data:image/png;base64," : ""}${pictureStart}`;
    const fill = (): Buffer => text(`"${begin}${"A".repeat(max - 4_096)}"`);
    yield { name: "one large image", path, headers: json, body: () => [around(withPicture.sample, fill())] };
  }
  if (withUrls === undefined) return;
  for (const count of [3, 60, 5_000]) {
    const urls = Array.from({ length: count }, (_, i) => `${thirdParty}/big/${i}.png`);
    yield { name: `${count} URLs`, path, headers: json, body: () => [text(JSON.stringify(withUrls(urls)))] };
  }
}

const boundary = "b";
const part = (name: string, value: string): string =>
  `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

/** Forms of nearly the maximum size. */
const forms: Readonly<Record<string, () => readonly Buffer[]>> = {
  "hundreds of thousands of parts": () => [text(part("a", "x").repeat(600_000)), text(`--${boundary}--\r\n`)],
  "one file of the largest size": () => [text(part("image", "").slice(0, -2)), Buffer.alloc(maxForm - 200, "x")],
  "only line breaks": () => [Buffer.alloc(maxForm, "\r\n--")],
  "one endless part head": () => [text(`--${boundary}\r\n`), Buffer.alloc(maxForm - 200, "x: y\r\n")],
};

function* formAttacks(path: string): Generator<Attack> {
  const headers = { "content-type": `multipart/form-data; boundary=${boundary}` };
  for (const [name, body] of Object.entries(forms)) yield { name, path, headers, body };
  const kept = { "content-type": "multipart/form-data; boundary=a", "idempotency-key": "abuse" };
  yield {
    name: "a boundary of one letter, with an idempotency key",
    path,
    headers: kept,
    body: () => [Buffer.alloc(maxForm, "a")],
  };
}

const isForm = (body: Target["body"]): boolean => body === "multipart" || body === "upload";

/** Attacks that apply to any path, whatever its body. */
function* anyAttacks(path: string, target: Target): Generator<Attack> {
  const { body, sample } = target;
  const type = isForm(body) ? { "content-type": `multipart/form-data; boundary=${boundary}` } : json;
  const small = (): Buffer[] => (sample === undefined ? [] : [text(JSON.stringify(sample("x")))]);
  yield {
    name: "a content type of spaces",
    path,
    headers: { "content-type": `application/json${" ".repeat(maxHeaderLength)}x` },
    body: small,
  };
  const many = Object.fromEntries(Array.from({ length: 180 }, (_, i) => [`x-abuse-${i}`, "a".repeat(60)]));
  yield { name: "the maximum number of headers", path, headers: { ...type, ...many }, body: small };
  const query = Array.from({ length: 3_000 }, (_, i) => `a${i % 10}=1`).join("&");
  yield { name: "thousands of query fields", path: `${path}?${query.slice(0, 14_000)}`, headers: type, body: small };
  const trickle = (): Buffer[] => Array.from({ length: 10 }, () => Buffer.alloc(64 * 1024, " "));
  const declared = { ...type, "content-length": String(maxJsonOf(target)) };
  yield { name: "twenty slow uploads", path, headers: declared, body: trickle, pauseMs: 100, parallel: 20 };
}

/** All attacks on one path. */
export function* attacksOn(target: Target, thirdParty: string): Generator<Attack> {
  const path = filledPath(target.path, () => target.id ?? "x");
  if (pathParameters(target.path).length > 0) {
    const long = filledPath(target.path, () => "x".repeat(10_000));
    yield { name: "an endless id", path: long, headers: json, body: () => [] };
  }
  yield* anyAttacks(path, target);
  if (target.body === "json") yield* jsonAttacks(path, target, thirdParty);
  if (isForm(target.body)) yield* formAttacks(path);
}
