import assert from "node:assert/strict";
import { test } from "node:test";
import { withFleet } from "@uag/harness/fleet/with-fleet";
import { seededRandom } from "@uag/harness/testing/seeded-random";
import { crashFundsInTurn } from "../src/soak/crash.ts";
import { isClean, showFigures } from "../src/soak/figures.ts";
import { fundsEnv } from "../src/soak/funds.ts";

test("after a SIGKILL at every crash point under requests with exhausted funds, the books are exact", async (t) => {
  const env = { ACK_WAIT_MS: "1500", ...fundsEnv };
  await withFleet({ services: ["billing", "metering", "chat", "router"], env }, async (fleet) => {
    for (const row of await crashFundsInTurn(fleet, seededRandom(2))) {
      t.diagnostic(showFigures(row.funds, row));
      assert.ok(isClean(row), showFigures(row.funds, row));
    }
  });
});
