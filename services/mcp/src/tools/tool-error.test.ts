import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { toolError } from "./tool-error.ts";

test("an error of the MCP server itself is shown with its code, its message and its retry time", () => {
  const { content, isError, _meta } = toolError(
    new GatewayError("service_unavailable", "All memory is in use.", { retryAfterMs: 1_500 }),
  );
  const text = "service_unavailable: All memory is in use. Wait briefly, then retry. Retry after 2 s.";
  assert.deepEqual([content, isError], [[{ type: "text", text }], true]);
  const shown = { status: 503, code: "service_unavailable", retry_after: 2, request_id: null };
  assert.deepEqual(_meta, { "gateway/error": shown });
});

test("an unknown error is shown without its text", () => {
  const { content } = toolError(new Error("secret"));
  assert.match(JSON.stringify(content), /The gateway does not respond/);
  assert.doesNotMatch(JSON.stringify(content), /secret/);
});
