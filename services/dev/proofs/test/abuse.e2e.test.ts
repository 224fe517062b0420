import assert from "node:assert/strict";
import { test } from "node:test";
import { withFleet } from "@uag/harness/fleet/with-fleet";
import { storm } from "../src/abuse/storm.ts";
import { startThirdParty } from "../src/abuse/third-party.ts";

const stormMs = 30_000;

test("attacks on every path by keys without money kill no process and fail no other client's request", async () => {
  await using thirdParty = await startThirdParty();
  await withFleet({ egressAllow: thirdParty.host }, async (fleet) => {
    const result = await storm({ fleet, thirdParty, durationMs: stormMs, seed: 1, attackers: 2 });
    assert.deepEqual(result.crashes, []);
    assert.deepEqual(result.failedNeighbours, []);
    assert.ok(result.attacks > 20, `${result.attacks} attacks`);
    assert.ok(
      [...result.outcomes.keys()].every((outcome) => !/^50[02]/.test(outcome)),
      [...result.outcomes].join(" "),
    );
  });
});
