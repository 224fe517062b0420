import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeFloats, encodeFloats } from "@uag/untrusted/vectors/base64";
import { checkFinite, formatFloats } from "@uag/untrusted/vectors/format";
import { UpstreamFailure } from "../../failure.ts";
import { convertVector } from "./convert.ts";
import { parseFloats } from "./parse.ts";
import { unitVector } from "./shorten.ts";

/** Floats of every bit pattern, and of the magnitudes of embeddings; deterministic. */
function someFloats(count: number): Float32Array {
  const floats = new Float32Array(count);
  const bits = new Uint32Array(floats.buffer);
  let state = 12_345;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  for (let i = 0; i < count; i++) {
    if (i % 2 === 0) floats[i] = (random() - 0.5) * 10 ** -Math.floor(random() * 8);
    else bits[i] = Math.floor(random() * 2 ** 32);
    if (!Number.isFinite(floats[i])) floats[i] = 0;
  }
  return floats;
}

const edges = Float32Array.of(
  0,
  1,
  -1,
  0.1,
  1e-6,
  9.999999e-7,
  1e7,
  9999999,
  3.4028235e38,
  1e-45,
  -1.17549435e-38,
  0.5,
);
const whole = (text: string | Buffer) => {
  const body = Buffer.from(text);
  return { body, start: 0, end: body.length, index: undefined };
};
/** A converted vector's bytes. */
const converted = (...args: Parameters<typeof convertVector>): Buffer => {
  const vector = convertVector(...args);
  return typeof vector === "function" ? vector() : vector;
};
const shortest = (value: number): number => {
  for (let digits = 1; digits < 9; digits++)
    if (Math.fround(Number(value.toPrecision(digits))) === value) return digits;
  return 9;
};
const digitsOf = (text: string): number =>
  text.replace(/e.*/, "").replace(/[-.]/g, "").replace(/^0+/, "").replace(/0+$/, "").length || 1;

test("writes every 32-bit float as the shortest number that parses to the same float", () => {
  for (const floats of [someFloats(50_000), edges]) {
    const text = formatFloats(floats);
    const parsed = JSON.parse(text.toString("latin1")) as number[];
    assert.equal(parsed.length, floats.length);
    const texts = text.toString("latin1").slice(1, -1).split(",");
    for (const [i, float] of floats.entries()) {
      assert.equal(Math.fround(parsed[i] as number), float === 0 ? 0 : float, texts[i] as string);
      if (float !== 0) assert.ok(digitsOf(texts[i] as string) <= shortest(float), `${texts[i]} for ${float}`);
    }
  }
  assert.equal(formatFloats(new Float32Array(0)).toString(), "[]");
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])
    assert.throws(() => checkFinite(Float32Array.of(1, value)), RangeError);
});

test("converting floats between text and base64 in any order loses nothing", () => {
  const floats = someFloats(20_000);
  for (let i = 0; i < floats.length; i++) if (Object.is(floats[i], -0)) floats[i] = 0;
  const base64 = encodeFloats(floats);
  assert.deepEqual(decodeFloats(base64, { start: 0, end: base64.length }), floats);
  const text = formatFloats(floats);
  assert.deepEqual(parseFloats(text, { start: 0, end: text.length }), floats);
  const asBase64 = converted(whole(text), "base64", undefined);
  assert.deepEqual(asBase64, base64);
  assert.deepEqual(converted(whole(asBase64), "float", undefined), text);
});

test("base64 is little-endian, in the standard alphabet, with padding", () => {
  assert.equal(encodeFloats(Float32Array.of(1, -2)).toString(), '"AACAPwAAAMA="');
  const escaped = Buffer.from(JSON.stringify("////fw==").replaceAll("/", "\\/"));
  assert.equal(decodeFloats(escaped, { start: 0, end: escaped.length }).length, 1);
});

test("passes bytes that are already in the client's format on without copying them", () => {
  const vector = whole("[0.10000000149011612, 2]");
  assert.equal(converted(vector, "float", undefined).buffer, vector.body.buffer);
});

test("a shortened vector has length 1 and keeps its direction", () => {
  const vector = unitVector(Float32Array.of(3, 4, 12), 2);
  assert.deepEqual(
    [...vector].map((value) => value.toFixed(6)),
    ["0.600000", "0.800000"],
  );
  assert.deepEqual(unitVector(Float32Array.of(0, 0, 1), 2), Float32Array.of(0, 0));
  const text = converted(whole("[3, 4, 12]"), "float", 2).toString();
  assert.equal(text, "[0.6,0.8]");
});

test("a value that is not a vector is an upstream failure", () => {
  const isFailure = (error: unknown) => error instanceof UpstreamFailure && error.kind === "transient";
  for (const bad of ["[1,,2]", '["1"]', "[null]", "[[1]]", "[NaN]", "[1,]", "[1e999]"])
    assert.throws(() => convertVector(whole(bad), bad === "[1e999]" ? "float" : "base64", 1), isFailure, bad);
  assert.throws(() => convertVector(whole('"AAA="'), "float", undefined), isFailure);
  assert.throws(() => convertVector(whole("[1]"), "float", 2), isFailure);
});
