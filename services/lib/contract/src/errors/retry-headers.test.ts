import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "./gateway-error.ts";
import { retryHeaders } from "./retry-headers.ts";

test("retry-after is the error's delay in whole seconds, retry-after-ms in milliseconds", () => {
  const error = new GatewayError("rate_limit_exceeded", undefined, { retryAfterMs: 1_200 });
  assert.deepEqual(retryHeaders(error), ["x-should-retry", "true", "retry-after", "2", "retry-after-ms", "1200"]);
});

test("every 503 has retry-after, also without a known delay", () => {
  const error = new GatewayError("service_unavailable");
  assert.deepEqual(retryHeaders(error), ["x-should-retry", "true", "retry-after", "1", "retry-after-ms", "1000"]);
});

test("an error that waiting does not fix has no retry-after", () => {
  assert.deepEqual(retryHeaders(new GatewayError("invalid_request")), ["x-should-retry", "false"]);
  const never = new GatewayError("token_limit_exceeded", undefined, { retryable: false });
  assert.deepEqual(retryHeaders(never), ["x-should-retry", "false"]);
});
