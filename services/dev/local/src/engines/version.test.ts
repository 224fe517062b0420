import assert from "node:assert/strict";
import { test } from "node:test";
import { isAtLeast, versionIn } from "./version.ts";

test("the version is read from each server's output", () => {
  assert.equal(versionIn('db version v6.0.5\nBuild Info: {\n    "version": "6.0.5"'), "6.0.5");
  assert.equal(versionIn("nats-server: v2.15.1\n"), "2.15.1");
  assert.equal(versionIn("error while loading shared libraries: libcurl.so.4"), undefined);
});

test("versions are compared as numbers, not as text", () => {
  assert.equal(isAtLeast("6.0.5", "6.0"), true);
  assert.equal(isAtLeast("10.0", "6.0"), true);
  assert.equal(isAtLeast("2.9.25", "2.10"), false);
  assert.equal(isAtLeast("2.10", "2.10"), true);
});
