import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { keyringOf } from "@uag/runtime/keyring";
import { AssetTokens } from "./token.ts";

const newSecret = (): string => randomBytes(32).toString("hex");
const tokens = new AssetTokens(keyringOf(newSecret()));

test("a token opens to the id and expiry it was issued for, and tokens are unique", () => {
  const expiresAtMs = 1_900_000_000_000;
  const one = tokens.issue(expiresAtMs);
  assert.deepEqual(tokens.open(one.token), { id: one.id, expiresAtMs });
  assert.notEqual(tokens.issue(expiresAtMs).id, one.id);
});

test("rejects a token with any character changed, so that neither id nor expiry can be altered", () => {
  const { token } = tokens.issue(1_900_000_000_000);
  for (let at = 0; at < token.length; at++) {
    const changed = `${token.slice(0, at)}${token[at] === "A" ? "B" : "A"}${token.slice(at + 1)}`;
    assert.equal(tokens.open(changed), undefined);
  }
});

test("rejects tokens of other secrets, lengths or alphabets", () => {
  const { token } = tokens.issue(1_900_000_000_000);
  assert.equal(new AssetTokens(keyringOf(newSecret())).open(token), undefined);
  for (const text of ["", "x", `${token}A`, token.slice(1), "../".repeat(16), "=".repeat(48)])
    assert.equal(tokens.open(text), undefined);
});

test("after a rotation old tokens open as long as their secret is among the previous ones", () => {
  const [old, young] = [newSecret(), newSecret()];
  const before = new AssetTokens(keyringOf(old)).issue(1_900_000_000_000);
  // The format from before tokens named their secret.
  const nameless = Buffer.from(before.token, "base64url").subarray(3).toString("base64url");
  const during = new AssetTokens(keyringOf(young, [old]));
  for (const token of [before.token, nameless]) {
    assert.equal(during.open(token)?.id, before.id);
    assert.equal(new AssetTokens(keyringOf(young)).open(token), undefined);
  }
  const made = during.issue(1_900_000_000_000);
  assert.equal(new AssetTokens(keyringOf(young)).open(made.token)?.id, made.id);
  assert.equal(new AssetTokens(keyringOf(old)).open(made.token), undefined);
});
