import assert from "node:assert/strict";
import { test } from "node:test";
import { splitCost } from "./settle.ts";

test("charges a cost to its own hold first, then to the available balance, and writes off the rest", () => {
  const cases: [string, Parameters<typeof splitCost>[0], [bigint, bigint, bigint]][] = [
    ["within the hold", { cost: 5n, hold: 10n, left: 100n, available: 50n }, [5n, 0n, 0n]],
    ["above the hold", { cost: 15n, hold: 10n, left: 100n, available: 50n }, [10n, 5n, 0n]],
    ["another request's hold unchanged", { cost: 15n, hold: 10n, left: 100n, available: 0n }, [10n, 0n, 5n]],
    ["grant nearly used up", { cost: 15n, hold: 15n, left: 4n, available: 6n }, [4n, 6n, 5n]],
    ["grant gone", { cost: 15n, hold: 15n, left: 0n, available: 20n }, [0n, 15n, 0n]],
    ["no money", { cost: 15n, hold: 15n, left: 0n, available: 0n }, [0n, 0n, 15n]],
    ["free of charge", { cost: 0n, hold: 15n, left: 9n, available: 9n }, [0n, 0n, 0n]],
  ];
  for (const [name, input, [fromHeld, fromAvailable, writtenOff]] of cases) {
    assert.deepEqual(splitCost(input), { fromHeld, fromAvailable, writtenOff }, name);
  }
});
