import assert from "node:assert/strict";
import { test } from "node:test";
import { waitMs } from "./wait.ts";

const wait = (from: { prefer?: string; query?: string; body?: unknown }): number =>
  waitMs({ prefer: from.prefer, target: `/v1/videos/generations${from.query ?? ""}`, body: from.body });

test("accepts the same wait in all three forms", () => {
  assert.equal(wait({ prefer: "wait=20" }), 20_000);
  assert.equal(wait({ prefer: "respond-async, wait=20" }), 20_000);
  assert.equal(wait({ query: "?a=b&wait=20" }), 20_000);
  assert.equal(wait({ body: 20 }), 20_000);
});

test("true means a minute, and an absent value no wait", () => {
  assert.equal(wait({ body: true }), 60_000);
  assert.equal(wait({ query: "?wait=true" }), 60_000);
  assert.equal(wait({}), 0);
  assert.equal(wait({ body: false }), 0);
});

test("limits the wait to ten minutes", () => {
  assert.equal(wait({ body: 86_400 }), 600_000);
  assert.equal(wait({ prefer: "wait=999999" }), 600_000);
});

test("ignores an invalid preference, and rejects an invalid query or body", () => {
  assert.equal(wait({ prefer: "wait=soon" }), 0);
  for (const from of [{ query: "?wait=soon" }, { query: "?wait=-1" }, { body: "20" }, { body: -1 }, { body: {} }])
    assert.throws(() => wait(from), /wait/);
});
