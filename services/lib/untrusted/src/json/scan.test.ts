import assert from "node:assert/strict";
import { test } from "node:test";
import { seededInt } from "@uag/harness/testing/seeded-random";
import { type JsonLimits, maxLengths, scanJson, scanJsonInTurns, scannedPerTurn, scanning } from "./scan.ts";

const unlimited: JsonLimits = { depth: 1e9, values: 1e9, numbers: 1e9, names: 1_000, ...maxLengths };

type Random = ReturnType<typeof seededInt>;

const pieces = ['"', "\\", "\\\\", '\\"', "\n", "{", "}", "[", "]", ",", ":", "é", "\u{1f600}", "a", "x".repeat(63)];

function someText(random: Random): string {
  return Array.from({ length: random(2) * random(12) }, () => pieces[random(pieces.length)]).join("");
}

function someValue(random: Random, depth: number): unknown {
  const kind = random(depth > 6 ? 5 : 8);
  if (kind === 0) return random(1_000) - 500;
  if (kind === 1) return random(1_000) / 7e-200;
  if (kind === 2) return [true, false, null][random(3)];
  if (kind < 5) return someText(random);
  const values = Array.from({ length: random(5) }, () => someValue(random, depth + 1));
  if (kind < 7) return values;
  return Object.fromEntries(values.map((value, index) => [`${someText(random)}${random(9)}${index}`, value]));
}

/** What the scan should have counted, computed from the parsed value. */
function walk(value: unknown, counts: { depth: number; values: number; numbers: number; names: Set<string> }, at = 1) {
  if (typeof value === "number") counts.numbers++;
  else counts.values++;
  if (typeof value !== "object" || value === null) return counts;
  counts.depth = Math.max(counts.depth, at);
  for (const [name, inner] of Object.entries(value)) {
    if (!Array.isArray(value)) counts.names.add(name);
    walk(inner, counts, at + 1);
  }
  return counts;
}

const walked = (text: string) => walk(JSON.parse(text), { depth: 0, values: 0, numbers: 0, names: new Set() });

test("counts what JSON.parse creates, for 5,000 random texts with and without white space", () => {
  for (let seed = 1; seed <= 5_000; seed++) {
    const random = seededInt(seed);
    const text = JSON.stringify(someValue(random, 0), null, ["", "  ", "\n"][random(3)]);
    const { names, ...expected } = walked(text);
    const {
      passed,
      member,
      longSpans: _,
      nameBytes,
      wordBytes,
      blankBytes,
      ...counts
    } = scanJson(Buffer.from(text), unlimited);
    assert.deepEqual(counts, { ...expected, names: names.size }, `seed ${seed}: ${text}`);
    assert.deepEqual([passed, member], [undefined, undefined]);
    assert.ok(nameBytes <= text.length && wordBytes <= 25 && blankBytes <= text.length, `seed ${seed}`);
  }
});

test("counts a corrupted text without failing, and never below what JSON.parse creates from it", () => {
  let accepted = 0;
  for (let seed = 1; seed <= 5_000; seed++) {
    const random = seededInt(seed);
    const bytes = Buffer.from(JSON.stringify(someValue(random, 0)));
    for (let change = 0; change <= random(3); change++) {
      bytes[random(bytes.length)] = Buffer.from('"\\{}[],:1ex \n')[random(13)] as number;
    }
    const counts = scanJson(bytes, unlimited);
    try {
      const made = walked(bytes.toString());
      accepted++;
      const enough = counts.depth >= made.depth && counts.values >= made.values && counts.numbers >= made.numbers;
      assert.ok(enough && counts.names >= made.names.size, `seed ${seed}: ${bytes.toString()}`);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  assert.ok(accepted > 100, `only ${accepted} texts were valid`);
});

const worst: [what: string, text: string, limit: keyof JsonLimits][] = [
  ["the deepest nesting", "[".repeat(4_000_000), "depth"],
  ["the deepest nesting with names", '{"a":'.repeat(1_000_000), "depth"],
  ["the most names", `{${Array.from({ length: 400_000 }, (_, index) => `"k${index}":1`).join()}}`, "names"],
  ["the most names of many objects", `[${Array.from({ length: 400_000 }, (_, n) => `{"${n}":{}}`).join()}]`, "names"],
  ["one repeated name", `{${'"a":"",'.repeat(600_000)}"a":1}`, "values"],
  ["the most objects", `[${"{},".repeat(1_300_000)}{}]`, "values"],
  ["the most texts", `[${'"",'.repeat(1_300_000)}""]`, "values"],
  ["the most literals", `[${"null,".repeat(800_000)}null]`, "values"],
  ["the longest name", `{"a":1,"${"k".repeat(4_000_000)}":1}`, "nameBytes"],
  ["the longest number", `{"a":1,"b":${"1".repeat(4_000_000)}}`, "wordBytes"],
  ["the most numbers", `[${"1,".repeat(2_000_000)}1]`, "numbers"],
  ["the most white space", `[1,${" ".repeat(4_000_000)}1]`, "blankBytes"],
  ["the most white space after a text", `["",${'""'}${" ".repeat(4_000_000)}]`, "blankBytes"],
];
for (const [what, text, limit] of worst) {
  test(`stops where the limit is exceeded, for ${what} in 4 MB`, () => {
    const bytes = Buffer.from(text);
    const limits = { depth: 64, values: 10_000, numbers: 10_000, names: 1_000, ...maxLengths, blankBytes: 10_000 };
    const before = process.threadCpuUsage();
    const counts = scanJson(bytes, limits);
    const { user, system } = process.threadCpuUsage(before);
    assert.equal(counts.passed, limit);
    assert.ok(counts[limit] > limits[limit]);
    if (!limit.endsWith("Bytes")) assert.equal(counts[limit], limits[limit] + 1);
    assert.ok(user + system < 50_000, `took ${user + system} us`);
  });
}

test("reports the member of the outermost object in which a limit is exceeded", () => {
  const limits = { depth: 3, values: 10, numbers: 10, names: 5, ...maxLengths };
  const report = (value: unknown) => {
    const { passed, member } = scanJson(Buffer.from(JSON.stringify(value)), limits);
    return [passed, member];
  };
  const many = Array(20).fill("x");
  assert.deepEqual(report({ model: "m", messages: many }), ["values", "messages"]);
  assert.deepEqual(report({ model: { a: 1 }, tool: [[[[]]]] }), ["depth", "tool"]);
  assert.deepEqual(report({ a: 1, b: 1, c: 1, d: 1, e: 1, f: 1 }), ["names", undefined]);
  assert.deepEqual(report(many), ["values", undefined]);
});

test("counts nothing within strings, and skips long ones at search speed", () => {
  const limits = { depth: 2, values: 10, numbers: 1, names: 2, ...maxLengths };
  for (const filling of ["x", "{[", '\\"', "\\\\", "\\u0000", "é", ":", "\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\x"]) {
    const text = `{"a":["${filling.repeat(3_000_000 / filling.length)}","x"],"b":1}`;
    const { passed, member, longSpans, nameBytes, wordBytes, blankBytes, ...counts } = scanJson(
      Buffer.from(text),
      limits,
    );
    assert.deepEqual(longSpans, [{ from: 7, to: Buffer.from(text).indexOf('","x"'), isBlank: false }]);
    assert.deepEqual([nameBytes, wordBytes, blankBytes], [1, 1, 0]);
    assert.deepEqual(counts, { depth: 2, values: 4, numbers: 1, names: 2 }, filling);
    assert.deepEqual([passed, member], [undefined, undefined]);
  }
});

const slices: Readonly<Record<string, string>> = {
  "escaped quotes": '\\"',
  backslashes: "\\\\",
  "escapes of different lengths": `${"\\\\".repeat(2_000)}x\\"${'\\\\\\"'.repeat(999)}`,
};
for (const [what, piece] of Object.entries(slices)) {
  test(`inspects a bounded number of bytes per turn, with the same counts, for ${what}`, async () => {
    const one = piece.repeat((3 * scannedPerTurn) / piece.length);
    const bytes = Buffer.from(`{"a":"${one}","b":["${one}",${'"x" , '.repeat(40_000)}1]}`);
    const scan = scanning(bytes, unlimited);
    let last = 0;
    for (let step = scan.next(); step.done !== true; step = scan.next()) {
      assert.ok(step.value > last && step.value - last <= 2 * scannedPerTurn, `${step.value} after ${last}`);
      last = step.value;
    }
    assert.ok(bytes.length - last <= 2 * scannedPerTurn);
    const counts = await scanJsonInTurns(bytes, unlimited);
    assert.deepEqual([counts.values, counts.numbers, counts.names], [40_004, 1, 2]);
    const lengths = counts.longSpans.map(({ from, to }) => to - from);
    assert.deepEqual(lengths, [one.length, one.length]);
  });
}
