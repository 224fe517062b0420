import assert from "node:assert/strict";
import { test } from "node:test";
import type { Request } from "express";
import { clientAddress, networkOf } from "./client-address.ts";

const from = (remoteAddress: string, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { "x-forwarded-for": forwarded } }) as unknown as Request;

test("only what trusted proxies have appended says where a request comes from", () => {
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

test("all addresses of one IPv6 customer count as one, IPv4 addresses each for itself", () => {
  assert.equal(networkOf("2001:db8:1:2:3:4:5:6"), networkOf("2001:db8:1:2::9"));
  assert.equal(networkOf("2001:db8::1"), networkOf("2001:db8:0:0:8::"));
  assert.notEqual(networkOf("2001:db8:1:2::"), networkOf("2001:db8:1:3::"));
  assert.equal(networkOf("192.0.2.1"), "192.0.2.1");
});
