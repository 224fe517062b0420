import assert from "node:assert/strict";
import { test } from "node:test";
import { chatFieldCosts } from "@uag/providers/passed-fields/chat";
import { warningHeaders } from "./warnings.ts";

const warning = (sent: object): string | undefined =>
  warningHeaders({ sent: sent as Record<string, unknown>, known: chatFieldCosts })[1];

test("a request with documented fields alone has no warning", () => {
  assert.deepEqual(warningHeaders({ sent: { model: "a", messages: [], temperature: 1 }, known: chatFieldCosts }), []);
});

test("a warning lists unknown fields, each with the field that was probably meant", () => {
  assert.equal(
    warning({ model: "a", message: [], temprature: 1, colour: "red" }),
    "unknown fields: message (did you mean messages?), temprature (did you mean temperature?), colour",
  );
  assert.equal(warning({ messages: [], message: [] }), "unknown fields: message", "a field that is sent is not meant");
});

test("a warning is short and valid in a header, whatever the fields are named", () => {
  const names = ["a\r\nset-cookie: x", "é".repeat(1_000), "__proto__", "constructor", "", " ", "\u0000"];
  const sent = Object.fromEntries([...names, ...Array(9_990).keys()].map((name) => [name, 1]));
  const value = warning(sent) ?? assert.fail("no warning");
  assert.match(value, /^[\x20-\x7e]+$/);
  assert.ok(value.length < 800, `${value.length} characters`);
  assert.match(value, /and \d+ more$/);
});
