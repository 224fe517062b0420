import assert from "node:assert/strict";
import { test } from "node:test";
import { allowedHosts, hostnameOf } from "./hosts.ts";

const isOurs = allowedHosts("https://gateway.example:8443/x", ["Other.example"]);
const judged = (header: string): boolean => isOurs(hostnameOf(header) ?? "none");

test("accepts requests for localhost, the public URL's host and the configured hosts, on any port", () => {
  for (const header of [
    "localhost:8080",
    "127.0.0.1",
    "[::1]:80",
    "gateway.example",
    "OTHER.example:1",
    "https://gateway.example:8443",
  ])
    assert.equal(judged(header), true, header);
});

test("requests from another origin are rejected, however its name is written", () => {
  for (const header of [
    "evil.example",
    "https://gateway.example.evil.example",
    "null",
    "localhost.evil.example",
    "",
    "a".repeat(5_000),
  ])
    assert.equal(judged(header), false, header);
});

test("an asterisk allows every host", () => {
  assert.equal(allowedHosts("http://a", ["*"])("anything"), true);
});
