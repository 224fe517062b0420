import assert from "node:assert/strict";
import { test } from "node:test";
import { Outcome, UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { crashedEvent } from "./recover.ts";

const started = UsageEvent.fromPartial({ requestId: "r", model: "main", priceVersion: "p1", holdNanoUsd: 100n });
const progress = {
  requestId: "r",
  units: [{ name: "output_tokens", quantity: 5n }],
  costNanoUsd: 50n,
  isUpperBound: false,
};

test("a request whose process died is billed as the model that was responding, by its price version", () => {
  const served = { model: "spare", priceVersion: "p2", requestedModel: "main", fallbackReason: "timeout" };
  const { model, priceVersion, requestedModel, fallbackReason, costNanoUsd, outcome } = crashedEvent(
    started,
    { ...progress, ...served },
    9,
  );
  assert.deepEqual({ model, priceVersion, requestedModel, fallbackReason }, served);
  assert.deepEqual([costNanoUsd, outcome], [50n, Outcome.CRASHED]);
});

test("a request whose process died while the requested model responded names no other", () => {
  for (const last of [progress, undefined]) {
    const { model, priceVersion, requestedModel } = crashedEvent(started, last, 9);
    assert.deepEqual([model, priceVersion, requestedModel], ["main", "p1", undefined]);
  }
});
