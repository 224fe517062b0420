import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import { callerOfRequest } from "./end-user.ts";

const ruled = (required: boolean): Caller =>
  Caller.fromPartial({
    keyId: "k",
    budgetIds: ["bud_1"],
    endUsers: { rules: [{ budgetId: "bud_1", name: "Shop", secret: Buffer.alloc(32), required, version: 1n }] },
  });

const exchange = (header?: string, operation = "chat.completions") => ({ operation, header: () => header });

test("a body's names come before the header, and a form's fields count as a JSON object's members do", () => {
  const caller = ruled(false);
  const levelOf = (fields: Parameters<typeof callerOfRequest>[1]["fields"], header?: string) =>
    callerOfRequest({ exchange: exchange(header), caller }, { fields }).budgetIds;
  const alice = levelOf({ user: "alice" });
  assert.equal(alice.length, 2);
  assert.deepEqual(levelOf({ safety_identifier: "alice", user: "bob" }, "carol"), alice);
  assert.deepEqual(levelOf({ metadata: { user_id: "alice" } }), alice);
  assert.deepEqual(levelOf(new Map([["user", "alice"]])), alice);
  assert.deepEqual(levelOf({ user: "" }, "alice"), alice);
  assert.notDeepEqual(levelOf({ user: "bob" }), alice);
  assert.deepEqual(levelOf({ user: 5, metadata: { user_id: null } }), ["bud_1"]);
});

test("a request without an end user is refused only where a rule requires one and the request is billed", () => {
  const caller = ruled(true);
  const refused = (thrown: unknown): boolean =>
    thrown instanceof GatewayError && thrown.code === "invalid_request" && thrown.param === "user";
  assert.throws(() => callerOfRequest({ exchange: exchange(), caller }, { fields: {} }), refused);
  for (const operation of ["messages.count_tokens", "chat.completions.estimate"]) {
    const unbilled = { exchange: exchange("alice", operation), caller };
    assert.equal(callerOfRequest(unbilled, { fields: {} }), caller);
  }
  assert.throws(
    () => callerOfRequest({ exchange: exchange(), caller }, { fields: { user: "a".repeat(513) } }),
    refused,
  );
});

test("the caller of a key without a rule is the same object", () => {
  const caller = Caller.fromPartial({ keyId: "k" });
  assert.equal(callerOfRequest({ exchange: exchange("alice"), caller }, { fields: { user: "alice" } }), caller);
});
