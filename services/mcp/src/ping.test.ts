import assert from "node:assert/strict";
import { test } from "node:test";
import { pingResponse } from "./ping.ts";

const ping = { jsonrpc: "2.0", id: 7, method: "ping" };

test("responds to a ping at revisions without ping, and leaves older revisions to the SDK", () => {
  assert.deepEqual(pingResponse(ping, "2026-07-28"), { jsonrpc: "2.0", id: 7, result: { resultType: "complete" } });
  assert.equal(pingResponse(ping, "2025-11-25"), undefined);
  assert.equal(pingResponse(ping, undefined), undefined);
});

test("leaves every message but a ping request to the SDK", () => {
  for (const body of [{ ...ping, method: "tools/list" }, { jsonrpc: "2.0", method: "ping" }, [ping], null, "ping"])
    assert.equal(pingResponse(body, "2026-07-28"), undefined);
});
