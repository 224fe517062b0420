import assert from "node:assert/strict";
import { test } from "node:test";
import { MountReplicas } from "./mount-replicas.ts";

test("replicas are used in turn; a failed one cools down for a second unless all failed", () => {
  let now = 0;
  const replicas = new MountReplicas(["a", "b"], { now: () => now, monotonic: () => now });
  const four = (): string => Array.from({ length: 4 }, () => replicas.next()).join("");
  assert.equal(four(), "abab");
  replicas.failed("a");
  assert.equal(four(), "bbbb");
  replicas.failed("b");
  assert.equal(four(), "abab");
  now = 1_001;
  assert.equal(four(), "abab");
});
