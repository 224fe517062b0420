import assert from "node:assert/strict";
import { test } from "node:test";
import { UpstreamFailure } from "../failure.ts";
import { createFault } from "./call.ts";

test("only a definite refusal allows trying another provider", () => {
  const reported = { message: "no", type: undefined, code: undefined, param: undefined };
  const faults: readonly (readonly [UpstreamFailure, string])[] = [
    [new UpstreamFailure("unreachable", "refused"), "refused"],
    [new UpstreamFailure("capacity", "429", { status: 429 }), "refused"],
    [new UpstreamFailure("operator", "401", { status: 401 }), "refused"],
    [new UpstreamFailure("transient", "503", { status: 503 }), "refused"],
    [new UpstreamFailure("client", "400", { status: 400, reported }), "failed"],
    [new UpstreamFailure("transient", "500 in the provider's error format", { status: 500, reported }), "failed"],
    [new UpstreamFailure("transient", "502 of a proxy", { status: 502 }), "ambiguous"],
    [new UpstreamFailure("timeout", "no response"), "ambiguous"],
    [new UpstreamFailure("transient", "the connection broke"), "ambiguous"],
  ];
  for (const [failure, fault] of faults) assert.equal(createFault(failure), fault, failure.message);
});
