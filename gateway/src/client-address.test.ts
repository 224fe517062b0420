import assert from "node:assert/strict";
import { test } from "node:test";
import type { Request } from "express";
import { clientAddress } from "./client-address.ts";

const from = (remoteAddress: string, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { "x-forwarded-for": forwarded } }) as unknown as Request;

test("the client address comes only from what trusted proxies appended", () => {
  for (const [peer, forwarded, hops, expected] of [
    ["10.0.0.1", "1.1.1.1", 0, "10.0.0.1"],
    ["10.0.0.1", "6.6.6.6, 1.1.1.1", 1, "1.1.1.1"],
    ["10.0.0.1", "6.6.6.6, 1.1.1.1,10.0.0.2", 2, "1.1.1.1"],
    ["10.0.0.1", "1.1.1.1", 2, "10.0.0.1"],
    ["10.0.0.1", undefined, 1, "10.0.0.1"],
    ["10.0.0.1", "localhost", 1, "10.0.0.1"],
    ["10.0.0.1", `${"6.6.6.6,".repeat(2_000)} 2001:db8::1`, 1, "2001:db8::1"],
    ["::ffff:192.0.2.1", undefined, 0, "192.0.2.1"],
  ] as const) {
    assert.equal(clientAddress(from(peer, forwarded), hops), expected, forwarded?.slice(-40));
  }
});
