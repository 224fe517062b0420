import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutNulls } from "./nulls.ts";

const opaque = new Set(["schema"]);

test("removes null members at every level, but no list items and no message's empty content", () => {
  const body = {
    a: null,
    b: [{ c: null, d: 1 }, null],
    e: { f: { g: null } },
    messages: [{ content: null, name: null }],
  };
  const expected = { b: [{ d: 1 }, null], e: { f: {} }, messages: [{ content: null }] };
  assert.deepEqual(withoutNulls(body, opaque), expected);
  assert.equal(body.b[0] !== null && "c" in (body.b[0] ?? {}), true, "the body itself is unchanged");
});

test("does not inspect opaque members, and returns the same object when it has no null", () => {
  const body = {
    tool: { schema: { enum: ["a", null], default: null, properties: { x: { const: null } } } },
    list: [{ a: 1 }],
  };
  assert.equal(withoutNulls(body, opaque), body);
  const mixed = withoutNulls({ ...body, user: null }, opaque);
  assert.deepEqual(mixed, body);
  assert.equal(mixed["tool"], body.tool);
  assert.equal(
    withoutNulls(JSON.parse('{"__proto__": {"a": null}, "b": null}') as object as never, opaque).constructor,
    Object,
  );
});
