import assert from "node:assert/strict";
import { test } from "node:test";
import { withTemporaryDir } from "@uag/harness/fleet/temporary-dir";
import { withFleet } from "@uag/harness/fleet/with-fleet";
import { seededRandom } from "@uag/harness/testing/seeded-random";
import { crashInTurn } from "../src/soak/crash.ts";
import { diskFaultsEnv, diskPhases, failDisk } from "../src/soak/disk.ts";
import { isClean, showFigures } from "../src/soak/figures.ts";
import { fundsEnv } from "../src/soak/funds.ts";

const services = ["billing", "metering", "chat", "router"];

test("after a SIGKILL at every crash point, with and without sufficient funds, requests succeed and the books are exact", async (t) => {
  await withFleet({ services, env: { ACK_WAIT_MS: "1500", ...fundsEnv } }, async (fleet) => {
    for (const row of await crashInTurn(fleet, seededRandom(1))) {
      t.diagnostic(showFigures(row.funds, row));
      assert.ok(isClean(row), showFigures(row.funds, row));
    }
  });
});

test("after a full disk or exhausted file descriptors during billing, fencing and adoption, requests succeed and the books are exact", async (t) => {
  await withTemporaryDir(async (dataDir) => {
    const env = { ...diskFaultsEnv(dataDir), HOLDER_LEASE_MS: "2000", ACK_WAIT_MS: "1500" };
    await withFleet({ dataDir, services, env }, async (fleet) => {
      const faults = ["ENOSPC mkdir open write sync rename", "EMFILE open read list sync"];
      const figures = await failDisk(fleet, { faults, phases: diskPhases, lastsMs: 1_500, random: seededRandom(1) });
      t.diagnostic(showFigures("failing disk", figures));
      assert.ok(isClean(figures), showFigures("failing disk", figures));
    });
  });
});
