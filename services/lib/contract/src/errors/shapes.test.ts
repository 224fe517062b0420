import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "./gateway-error.ts";
import {
  type ErrorShape,
  errorBody,
  errorEvent,
  errorText,
  flatError,
  googleError,
  nativeError,
  nestedError,
} from "./shapes.ts";
import { type ErrorCode, errorTable } from "./table.ts";

const schemas = { nested: nestedError, native: nativeError, flat: flatError, google: googleError } as const;

test("every error has a documented body in every format, without its cause", () => {
  for (const code of Object.keys(errorTable) as ErrorCode[]) {
    const error = new GatewayError(code, undefined, { param: "a.b", cause: new Error("hidden") });
    for (const errorShape of Object.keys(schemas) as ErrorShape[]) {
      const text = errorText(errorShape, { error, requestId: "req_1" });
      assert.ok(schemas[errorShape].strict().safeParse(JSON.parse(text)).success, `${errorShape} ${code}`);
      assert.ok(
        text.includes(JSON.stringify(errorTable[code].text)) && !text.includes("hidden"),
        `${errorShape} ${code}`,
      );
    }
  }
});

test("each error format matches its provider's", () => {
  const report = { error: new GatewayError("rate_limit_exceeded", "slow down"), requestId: "r" };
  assert.deepEqual(errorBody("nested", report), {
    error: { message: "slow down", type: "rate_limit_error", code: "rate_limit_exceeded", param: null },
  });
  assert.deepEqual(errorBody("native", report), {
    type: "error",
    error: { type: "rate_limit_error", message: "slow down" },
    request_id: "r",
  });
  assert.deepEqual(errorBody("flat", report), {
    code: "Throttling.RateQuota",
    message: "slow down",
    request_id: "r",
  });
  assert.deepEqual(errorBody("google", report), {
    error: {
      code: 429,
      message: "slow down",
      status: "RESOURCE_EXHAUSTED",
      details: [
        {
          "@type": "type.googleapis.com/google.rpc.ErrorInfo",
          reason: "RATE_LIMIT_EXCEEDED",
          domain: "gateway",
          metadata: { request_id: "r" },
        },
      ],
    },
  });
});

test("an error in Google's format says when to retry", () => {
  const error = new GatewayError("rate_limit_exceeded", undefined, { retryAfterMs: 2_500 });
  const { details } = errorBody("google", { error, requestId: "r" }).error;
  assert.deepEqual(details[1], { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "2.5s" });
});

test("a provider's error keeps its message and code", () => {
  const reported = { message: "no such size", code: "InvalidSize", type: undefined, param: "size" };
  const report = { error: new GatewayError("invalid_request"), requestId: "r", reported };
  assert.deepEqual(errorBody("nested", report), {
    error: { message: "no such size", type: "invalid_request_error", code: "InvalidSize", param: "size" },
  });
  assert.deepEqual(errorBody("flat", report), { code: "InvalidSize", message: "no such size", request_id: "r" });
  const ours = { ...report, reported: { message: "no such size", code: "unsupported_size" } };
  assert.equal(errorBody("flat", ours).code, "InvalidParameter");
});

test("Anthropic error types correspond to the status", () => {
  const typeOf = (code: ErrorCode): string =>
    errorBody("native", { error: new GatewayError(code), requestId: "r" }).error.type;
  assert.equal(typeOf("invalid_api_key"), "authentication_error");
  assert.equal(typeOf("insufficient_balance"), "billing_error");
  assert.equal(typeOf("payload_too_large"), "request_too_large");
  assert.equal(typeOf("service_unavailable"), "overloaded_error");
  assert.equal(typeOf("upstream_timeout"), "timeout_error");
  assert.equal(typeOf("invalid_json"), "invalid_request_error");
  assert.equal(typeOf("model_not_found"), "not_found_error");
});

test("the error event of a stream on /v1/messages has the event line that Anthropic clients need", () => {
  const report = { error: new GatewayError("internal_error"), requestId: "r" };
  assert.match(errorEvent("native", report), /^event: error\ndata: \{.*\}\n\n$/);
  assert.match(errorEvent("nested", report), /^data: \{.*\}\n\n$/);
});
