import assert from "node:assert/strict";
import { test } from "node:test";
import { withTemporaryDir } from "@uag/harness/fleet/temporary-dir";
import { withFleet } from "@uag/harness/fleet/with-fleet";
import { seededRandom } from "@uag/harness/testing/seeded-random";
import { crashEverywhere, crashFundsInTurn } from "../src/soak/crash.ts";
import { diskFaultsEnv, diskPhases, failDisk } from "../src/soak/disk.ts";
import { isClean, showFigures } from "../src/soak/figures.ts";
import { fundsEnv } from "../src/soak/funds.ts";

const services = ["billing", "metering", "chat", "router"];

test("processes killed with -9 at every named point of a request's life: requests succeed, and the books are exact", async (t) => {
  await withFleet({ services, env: { ACK_WAIT_MS: "1500" } }, async (fleet) => {
    const figures = await crashEverywhere(fleet, seededRandom(1));
    t.diagnostic(showFigures("every crash point", figures));
    assert.ok(isClean(figures), showFigures("every crash point", figures));
  });
});

test("processes killed with -9 at every named point while only requests at the end of their money are under way: the books are exact", async (t) => {
  const env = { ACK_WAIT_MS: "1500", ...fundsEnv };
  await withFleet({ services, env }, async (fleet) => {
    for (const row of await crashFundsInTurn(fleet, seededRandom(2))) {
      t.diagnostic(showFigures(row.funds, row));
      assert.ok(isClean(row), showFigures(row.funds, row));
    }
  });
});

test("a full disk, and a process without descriptors, while it bills, is fenced and adopts: requests succeed, and the books are exact", async (t) => {
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
