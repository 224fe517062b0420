import assert from "node:assert/strict";
import { test } from "node:test";
import { dnsTargets } from "./targets.ts";

test("addresses are taken as they are, once each, IPv6 in brackets", async () => {
  const resolve = dnsTargets(["127.0.0.1:80", "127.0.0.2:80", "127.0.0.1:80", "[::1]:443"]);
  assert.deepEqual(await resolve(), ["127.0.0.1:80", "127.0.0.2:80", "[::1]:443"]);
});

test("what is no host and port is refused at once", () => {
  for (const target of ["", "localhost", ":80", "host:", "host:http", "host:1234567"]) {
    assert.throws(() => dnsTargets([target]), /not a host:port/);
  }
});
