import assert from "node:assert/strict";
import { test } from "node:test";
import { networkOf } from "./network.ts";

test("counts all addresses of one IPv6 customer as one, and each IPv4 address separately", () => {
  assert.equal(networkOf("2001:db8:1:2:3:4:5:6"), networkOf("2001:db8:1:2::9"));
  assert.equal(networkOf("2001:db8::1"), networkOf("2001:db8:0:0:8::"));
  assert.notEqual(networkOf("2001:db8:1:2::"), networkOf("2001:db8:1:3::"));
  assert.equal(networkOf("192.0.2.1"), "192.0.2.1");
});
