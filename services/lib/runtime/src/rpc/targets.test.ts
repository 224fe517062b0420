import assert from "node:assert/strict";
import { test } from "node:test";
import { dnsTargets } from "./targets.ts";

test("returns literal addresses unchanged, once each, with IPv6 in brackets", async () => {
  const resolve = dnsTargets(["127.0.0.1:80", "127.0.0.2:80", "127.0.0.1:80", "[::1]:443"]);
  assert.deepEqual(await resolve(), ["127.0.0.1:80", "127.0.0.2:80", "[::1]:443"]);
});

test("rejects anything that is not a host and port", () => {
  for (const target of ["", "localhost", ":80", "host:", "host:http", "host:1234567"]) {
    assert.throws(() => dnsTargets([target]), /invalid address/);
  }
});
