import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeJson } from "./encode.ts";

const long = (unit: string, shift: number): string => "a".repeat(shift) + unit.repeat(1_100_000 / unit.length);

for (const unit of ["x", "é", "汉", "\u{1f600}", '"\\', "\n\u0001", "\ud800"]) {
  test(`long strings of ${JSON.stringify(unit)} are encoded like JSON.stringify, wherever they are split`, async () => {
    for (const shift of [0, 1]) {
      const text = long(unit, shift);
      const value = {
        a: text,
        list: ["b", text, null, undefined],
        [`${unit} name`]: { c: text.slice(0, 70_000) },
        d: undefined,
      };
      assert.ok((await encodeJson(value)).equals(Buffer.from(JSON.stringify(value))));
    }
  });
}

test("encodes a small value like JSON.stringify", async () => {
  const value = { a: [1, "b", { c: null }], d: undefined };
  assert.equal(String(await encodeJson(value)), JSON.stringify(value));
});

const mebi = 1024 * 1024;
const heavy: readonly (readonly [what: string, texts: readonly string[]])[] = [
  ["one text", ['"'.repeat(16 * mebi)]],
  ["hundreds of texts", Array.from({ length: 540 }, () => '"'.repeat(30_000))],
  ["thousands of texts", Array.from({ length: 8_000 }, () => '"'.repeat(2_000))],
];
for (const [what, texts] of heavy) {
  test(`encodes 16 MiB in ${what} in turns, none of which takes half of the total time`, async () => {
    let [max, all, done] = [0, 0, false];
    let last = process.threadCpuUsage();
    const writing = encodeJson({ texts }).finally(() => {
      done = true;
    });
    while (!done) {
      await new Promise(setImmediate);
      const { user, system } = process.threadCpuUsage(last);
      last = process.threadCpuUsage();
      max = Math.max(max, user + system);
      all += user + system;
    }
    assert.deepEqual(JSON.parse(String(await writing)), { texts });
    assert.ok(max < all / 2, `${max} of ${all} us`);
  });
}
