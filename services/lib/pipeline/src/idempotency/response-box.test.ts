import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { keyringOf } from "@uag/runtime/keyring";
import { ResponseBox } from "./response-box.ts";

const [old, young] = ["ab".repeat(32), "cd".repeat(32)];
const response = Buffer.from("the model's response");

test("a stored response is encrypted and decrypts only under its key and in its place", () => {
  const box = new ResponseBox(keyringOf(old));
  const sealed = box.seal(response, "token/0");
  assert.equal(sealed.includes("model"), false);
  assert.deepEqual(box.open(sealed, "token/0"), response);
  assert.throws(() => box.open(sealed, "token/1"));
  assert.throws(() => new ResponseBox(keyringOf(young)).open(sealed, "token/0"), /not configured/);
  sealed[20] = (sealed[20] as number) ^ 1;
  assert.throws(() => box.open(sealed, "token/0"));
});

test("after a key rotation decrypts responses sealed under the previous key while it is configured", () => {
  const sealed = new ResponseBox(keyringOf(old)).seal(response, "p");
  const during = new ResponseBox(keyringOf(young, [old]));
  assert.deepEqual(during.open(sealed, "p"), response);
  assert.deepEqual(new ResponseBox(keyringOf(young)).open(during.seal(response, "p"), "p"), response);
});

test("encrypts and decrypts empty and large pieces", () => {
  const box = new ResponseBox(keyringOf(old));
  for (const bytes of [Buffer.alloc(0), randomBytes(1024 * 1024)])
    assert.deepEqual(box.open(box.seal(bytes, "p"), "p"), bytes);
});
