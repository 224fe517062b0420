import assert from "node:assert/strict";
import { test } from "node:test";
import { formatUsd, insufficientBalance } from "./refusals.ts";

test("shows amounts to the last significant digit", () => {
  assert.equal(formatUsd(1_234n), "$0.000001234");
  assert.equal(formatUsd(5_000_000_000n), "$5.00");
  assert.equal(formatUsd(12_345_600_000n), "$12.3456");
  assert.equal(formatUsd(-1_500_000_000n), "-$1.50");
  assert.equal(formatUsd(0n), "$0.00");
});

test("a refusal for insufficient balance names the required and the available amount, and states what an envelope leaves", () => {
  const error = insufficientBalance(20_000_000n, { availableNanoUsd: 7_500n, envelopeLeftNanoUsd: 1_000_000n });
  assert.equal(error.code, "insufficient_balance");
  assert.match(error.message, /\$0\.02, .*\$0\.0000075 /);
  assert.deepEqual(error.headers, ["x-gateway-envelope-remaining-usd", "0.001000000"]);
  const withoutEnvelope = insufficientBalance(20_000_000n, {
    availableNanoUsd: 7_500n,
    envelopeLeftNanoUsd: undefined,
  });
  assert.deepEqual(withoutEnvelope.headers, []);
});
