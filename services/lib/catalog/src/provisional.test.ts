import assert from "node:assert/strict";
import { test } from "node:test";
import { Pricing } from "@uag/proto/metering/v1/usage.ts";
import { chargeOf } from "./provisional.ts";

const { EXACT, UNPRICED } = Pricing;

test("charges a known cost unchanged up to ten times the hold", () => {
  for (const costNanoUsd of [0n, 99n, 100n, 101n, 1_000n])
    assert.deepEqual(chargeOf({ costNanoUsd, pricing: EXACT }, 100n), {
      costNanoUsd,
      pricing: EXACT,
      provisional: undefined,
    });
});

test("charges the larger of the known cost and the hold when a unit has no price", () => {
  const charge = (costNanoUsd: bigint) => chargeOf({ costNanoUsd, pricing: UNPRICED }, 100n);
  assert.deepEqual(charge(0n), { costNanoUsd: 100n, pricing: UNPRICED, provisional: "unpriced_units" });
  assert.deepEqual(charge(150n), { costNanoUsd: 150n, pricing: UNPRICED, provisional: "unpriced_units" });
});

test("charges the hold for usage that costs more than ten times the hold, however much that is", () => {
  const held = { costNanoUsd: 100n, pricing: UNPRICED, provisional: "implausible_usage" };
  for (const costNanoUsd of [1_001n, 2n ** 63n, 2n ** 200n])
    for (const pricing of [EXACT, UNPRICED]) assert.deepEqual(chargeOf({ costNanoUsd, pricing }, 100n), held);
  assert.equal(chargeOf({ costNanoUsd: 1n, pricing: EXACT }, 0n).costNanoUsd, 0n);
});
