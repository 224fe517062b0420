import assert from "node:assert/strict";
import { test } from "node:test";
import { capturedLog } from "@uag/harness/testing/captured-log";
import { defaultBufferLimits } from "./buffer-budget.ts";
import { type BufferSettings, bufferLimitsOf, processMemory } from "./memory-limit.ts";

const mebi = 1024 * 1024;

function limitsOf(given: Partial<BufferSettings>) {
  const { log, lines } = capturedLog();
  const own = { totalBytes: undefined, ownerBytes: undefined, leastOwnerBytes: 64 * mebi, log };
  return { ...bufferLimitsOf({ service: "chat", ...own, ...given }), lines };
}

test("a budget fits into the memory limit next to the idle process's memory", () => {
  const { totalBytes, ownerBytes, lines } = limitsOf({ limitBytes: 1_024 * mebi });
  assert.ok(totalBytes > 120 * mebi && totalBytes <= (1_024 - processMemory.chat.restMiB - 128) * (mebi / 4));
  assert.equal(ownerBytes, 64 * mebi);
  assert.deepEqual(lines, []);
});

test("a process without a memory limit has the budget of its chart's limit", () => {
  const { totalBytes, lines } = limitsOf({});
  assert.ok(totalBytes <= (processMemory.chat.limitMiB - processMemory.chat.restMiB - 128) * (mebi / 4));
  assert.deepEqual(lines, []);
});

test("a budget within a large memory limit is the default", () => {
  const { totalBytes, ownerBytes, smallBytes } = limitsOf({ limitBytes: 16 * 1_024 * mebi });
  assert.deepEqual({ totalBytes, ownerBytes, smallBytes }, defaultBufferLimits);
});

test("keeps a budget set above the memory limit, and logs the one that would fit", () => {
  const { totalBytes, lines } = limitsOf({ limitBytes: 1_024 * mebi, totalBytes: 900 * mebi });
  assert.equal(totalBytes, 900 * mebi);
  assert.match(String(lines[0]?.["msg"]), /BUFFER_MEMORY_BYTES exceeds .* Set \d+ or less/);
});

test("rejects a memory limit without room for requests, and names the required one", () => {
  assert.throws(() => limitsOf({ limitBytes: 256 * mebi }), /limit of 256 MiB leaves no room .* Set it to \d+ MiB/);
});
