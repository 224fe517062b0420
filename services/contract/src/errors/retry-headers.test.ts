import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "./gateway-error.ts";
import { retryHeaders } from "./retry-headers.ts";

test("a client is told to wait as long as the error says, in whole seconds and in milliseconds", () => {
  const error = new GatewayError("rate_limit_exceeded", undefined, { retryAfterMs: 1_200 });
  assert.deepEqual(retryHeaders(error), ["x-should-retry", "true", "retry-after", "2", "retry-after-ms", "1200"]);
});

test("every 503 says when to try again, also where nobody knew when", () => {
  const error = new GatewayError("service_unavailable");
  assert.deepEqual(retryHeaders(error), ["x-should-retry", "true", "retry-after", "1", "retry-after-ms", "1000"]);
});

test("where waiting does not help, no time is named", () => {
  assert.deepEqual(retryHeaders(new GatewayError("invalid_request")), ["x-should-retry", "false"]);
  const never = new GatewayError("token_limit_exceeded", undefined, { retryable: false });
  assert.deepEqual(retryHeaders(never), ["x-should-retry", "false"]);
});
