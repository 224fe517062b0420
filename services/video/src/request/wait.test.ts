import assert from "node:assert/strict";
import { test } from "node:test";
import { waitMs } from "./wait.ts";

const wait = (from: { prefer?: string; query?: string; body?: unknown }): number =>
  waitMs({ prefer: from.prefer, target: `/v1/videos/generations${from.query ?? ""}`, body: from.body });

test("the three forms of waiting say the same", () => {
  assert.equal(wait({ prefer: "wait=20" }), 20_000);
  assert.equal(wait({ prefer: "respond-async, wait=20" }), 20_000);
  assert.equal(wait({ query: "?a=b&wait=20" }), 20_000);
  assert.equal(wait({ body: 20 }), 20_000);
});

test("true stands for a minute, and nothing for not waiting", () => {
  assert.equal(wait({ body: true }), 60_000);
  assert.equal(wait({ query: "?wait=true" }), 60_000);
  assert.equal(wait({}), 0);
  assert.equal(wait({ body: false }), 0);
});

test("nobody waits longer than ten minutes", () => {
  assert.equal(wait({ body: 86_400 }), 600_000);
  assert.equal(wait({ prefer: "wait=999999" }), 600_000);
});

test("a preference that makes no sense is ignored; a query or body that makes none is refused", () => {
  assert.equal(wait({ prefer: "wait=soon" }), 0);
  for (const from of [{ query: "?wait=soon" }, { query: "?wait=-1" }, { body: "20" }, { body: -1 }, { body: {} }])
    assert.throws(() => wait(from), /wait/);
});
