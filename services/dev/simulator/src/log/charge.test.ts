import assert from "node:assert/strict";
import { test } from "node:test";
import { chargeOf, type Ending } from "./charge.ts";

const rule = (more: Partial<Ending>) =>
  chargeOf({ outcome: "completed", status: 200, stream: true, tokens: 7, faults: {}, ...more });

test("a provider charges the whole response, the part generated before a disconnect, or nothing", () => {
  assert.deepEqual(rule({}), { rule: "whole" });
  assert.deepEqual(rule({ outcome: "disconnected" }), { rule: "made", output_tokens: 7 });
  assert.deepEqual(rule({ outcome: "disconnected", faults: { "abort-bills": 1 } }), { rule: "whole" });
  assert.deepEqual(rule({ outcome: "disconnected", stream: false }), { rule: "whole" });
  for (const ending of [{ status: 429 }, { outcome: "cut" }, { outcome: "lost" }] as const) {
    assert.deepEqual(rule(ending), { rule: "nothing" });
  }
});
