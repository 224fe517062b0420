import assert from "node:assert/strict";
import { test } from "node:test";
import { allowedHosts, hostnameOf } from "./hosts.ts";

const isOurs = allowedHosts("https://gateway.example:8443/x", ["Other.example"]);
const judged = (header: string): boolean => isOurs(hostnameOf(header) ?? "none");

test("requests for this machine, the public URL's host and those of the setting are let in, on any port", () => {
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

test("a page of another site is not, however it writes its name", () => {
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

test("a star lets everybody in", () => {
  assert.equal(allowedHosts("http://a", ["*"])("anything"), true);
});
