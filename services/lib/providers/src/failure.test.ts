import assert from "node:assert/strict";
import { test } from "node:test";
import { failureToGatewayError, UpstreamFailure, unusableResponse } from "./failure.ts";

test("instructs clients not to repeat a request that the upstream charged for", () => {
  const usage = { units: [{ name: "input_tokens", quantity: 5n }], raw: Buffer.from("{}") };
  const charged = [unusableResponse("not JSON"), new UpstreamFailure("transient", "an error", { status: 200, usage })];
  for (const failure of charged) assert.equal(failureToGatewayError(failure).retryable, false);
  assert.equal(failureToGatewayError(new UpstreamFailure("transient", "an error", { status: 500 })).retryable, true);
});
