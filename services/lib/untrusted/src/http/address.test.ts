import assert from "node:assert/strict";
import { test } from "node:test";
import { isPublicAddress, isPublicName } from "./address.ts";

const refused = [
  "0.0.0.0",
  "10.1.2.3",
  "100.64.0.1",
  "127.0.0.1",
  "127.255.255.254",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "198.18.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::ffff:127.0.0.1",
  "::ffff:8.8.8.8",
  "::127.0.0.1",
  "64:ff9b::7f00:1",
  "2002:7f00:1::",
  "2001::1",
  "fc00::1",
  "fd12::1",
  "fe80::1",
  "ff02::1",
  "168.63.129.16",
  "192.88.99.1",
  "::ffff:0:7f00:1",
  "::ffff:0:10.0.0.1",
  "::ffff:0:8.8.8.8",
  "64:ff9b:1::a00:1",
  "64:ff9b::10.0.0.1",
  "2606:4700::5efe:10.0.0.1",
  "2606:4700::200:5efe:a00:1",
  "2001:0:a00:1::1",
  "fd00:ec2::254",
  "4000::1",
  "1::1",
  "localhost",
  "",
  "127.1",
  "0x7f000001",
  "2130706433",
];
const accepted = [
  "8.8.8.8",
  "1.1.1.1",
  "172.15.0.1",
  "172.32.0.1",
  "100.128.0.1",
  "2606:4700:4700::1111",
  "2a00:1450:4001::1",
];

for (const address of refused) {
  test(`${JSON.stringify(address)} is never called on behalf of a user`, () =>
    assert.equal(isPublicAddress(address), false));
}
for (const address of accepted) {
  test(`${address} may be called`, () => assert.equal(isPublicAddress(address), true));
}

test("rejects names that no public host can have", () => {
  for (const name of [
    "localhost",
    "LOCALHOST.",
    "a.localhost",
    "db",
    "printer.local",
    "x.INTERNAL",
    "h.home.arpa",
    "localhost.localdomain",
    `${"a".repeat(64)}.example.com`,
    `${"a.".repeat(125)}example.com`,
    "a..example.com",
    ".example.com",
  ])
    assert.equal(isPublicName(name), false, name);
  for (const name of [
    "example.com",
    "example.com.",
    "localhost.example.com",
    "internal.example",
    "mylocal.io",
    `${"a".repeat(63)}.example.com`,
  ])
    assert.equal(isPublicName(name), true, name);
});
