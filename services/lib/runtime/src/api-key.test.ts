import assert from "node:assert/strict";
import { test } from "node:test";
import { checksum, digestKey, generateKey, parseKey } from "./api-key.ts";

test("a generated key has 36 characters and a valid checksum", () => {
  const seen = new Set<string>();
  for (let i = 0; i < 2_000; i++) {
    const key = generateKey();
    assert.match(key, /^sk-[0-9A-Za-z]{33}$/);
    assert.equal(parseKey(key), key);
    seen.add(key);
  }
  assert.equal(seen.size, 2_000);
});

test("rejects a key with one character changed, swapped, removed or added", () => {
  const key = generateKey();
  for (let i = 3; i < key.length; i++) {
    const other = key[i] === "x" ? "y" : "x";
    assert.equal(parseKey(key.slice(0, i) + other + key.slice(i + 1)), undefined);
  }
  for (const wrong of ["", "sk-", key.slice(0, -1), `${key}0`, `pk-${key.slice(3)}`, ` ${key}`, `${key}\n`]) {
    assert.equal(parseKey(wrong), undefined);
  }
});

test("the checksum of a body never changes between versions, so issued keys stay valid", () => {
  assert.equal(checksum("000000000000000000000000000"), "doOJox");
  assert.equal(checksum("AbCdEfGhIjKlMnOpQrStUvWxYz0"), "7P8yOU");
});

test("the digest depends on the key and on the pepper", () => {
  const [a, b] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  assert.equal(digestKey("sk-x", a).length, 32);
  assert.deepEqual(digestKey("sk-x", a), digestKey("sk-x", a));
  assert.notDeepEqual(digestKey("sk-x", a), digestKey("sk-x", b));
  assert.notDeepEqual(digestKey("sk-x", a), digestKey("sk-y", a));
});
