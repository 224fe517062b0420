import assert from "node:assert/strict";
import { test } from "node:test";
import { errorFormats } from "@uag/chat/operations.ts";
import { routes } from "@uag/gateway/routes.ts";
import { GatewayError } from "@uag/kit/errors.ts";
import { nativeError } from "./answers/errors.ts";

test("what fails before a native operation's handler is asked is told in the shape that the document has", () => {
  const error = new GatewayError("idempotency_key_reuse");
  for (const route of routes.filter(({ dialect }) => dialect === "native")) {
    const name = "operation" in route ? route.operation : "";
    const body = errorFormats[name]?.errorBody({ error, failure: undefined, requestId: "req_1" });
    assert.ok(body !== undefined, name);
    assert.doesNotThrow(() => nativeError.parse(JSON.parse(body.toString("utf8"))), name);
  }
});
