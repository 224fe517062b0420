import assert from "node:assert/strict";
import { test } from "node:test";
import { mongodPin, natsPin } from "./pins.ts";
import { doesNotRun } from "./user-errors.ts";

test("the error for a downloaded server that does not run has advice for this system only", () => {
  const onLinux = doesNotRun(mongodPin, "linux", "mongod: libssl.so.3: cannot open shared object file\n").message;
  assert.match(onLinux, /libssl\.so\.3 is missing/);
  assert.match(onLinux, /apt-get install .*libssl3/);
  const onMac = doesNotRun(natsPin, "darwin", "dyld: Symbol not found\n").message;
  assert.match(onMac, /Its output: dyld: Symbol not found\n/);
  assert.doesNotMatch(onMac, /apt-get|Debian/);
  for (const message of [onLinux, onMac]) assert.match(message, /put it in PATH/);
  assert.match(onMac, /nats-server 2\.10 or newer .* NATS_URL/);
});
