import assert from "node:assert/strict";
import { test } from "node:test";
import { type ErrorCode, errorTable, GatewayError } from "@uag/kit/errors.ts";
import { dialectOfPath, errorBody, errorEvent } from "./dialect.ts";

test("every error has a body in every dialect, without its cause", () => {
  for (const code of Object.keys(errorTable) as ErrorCode[]) {
    const error = new GatewayError(code, undefined, { param: "a.b", cause: new Error("hidden") });
    for (const dialect of ["nested", "native", "flat"] as const) {
      const text = errorBody(dialect, error, "req_1");
      assert.ok(JSON.parse(text));
      assert.ok(text.includes(JSON.stringify(errorTable[code].text)) && !text.includes("hidden"), `${dialect} ${code}`);
    }
  }
});

test("each dialect has its shape", () => {
  const error = new GatewayError("rate_limit_exceeded", "slow down");
  assert.deepEqual(JSON.parse(errorBody("nested", error, "r")), {
    error: { message: "slow down", type: "rate_limit_error", code: "rate_limit_exceeded", param: null },
  });
  assert.deepEqual(JSON.parse(errorBody("native", error, "r")), {
    type: "error",
    error: { type: "rate_limit_error", message: "slow down" },
    request_id: "r",
  });
  assert.deepEqual(JSON.parse(errorBody("flat", error, "r")), {
    code: "rate_limit_exceeded",
    message: "slow down",
    request_id: "r",
  });
});

test("native types follow the status", () => {
  const typeOf = (code: ErrorCode): unknown => JSON.parse(errorBody("native", new GatewayError(code), "r")).error.type;
  assert.equal(typeOf("invalid_api_key"), "authentication_error");
  assert.equal(typeOf("insufficient_balance"), "billing_error");
  assert.equal(typeOf("payload_too_large"), "request_too_large");
  assert.equal(typeOf("service_unavailable"), "overloaded_error");
  assert.equal(typeOf("upstream_timeout"), "timeout_error");
  assert.equal(typeOf("invalid_json"), "invalid_request_error");
});

test("the last event of a broken stream has the event line that native clients need", () => {
  const error = new GatewayError("internal_error");
  assert.match(errorEvent("native", error, "r"), /^event: error\ndata: \{.*\}\n\n$/);
  assert.match(errorEvent("nested", error, "r"), /^data: \{.*\}\n\n$/);
});

test("only the messages path speaks native", () => {
  assert.equal(dialectOfPath("/v1/messages/batches"), "native");
  assert.equal(dialectOfPath("/v1/v1/messages"), "nested");
});
