import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { crashEverywhere } from "../src/soak/crash.ts";
import { isClean, showFigures } from "../src/soak/figures.ts";
import { seeded } from "../src/soak/kills.ts";
import { startTestFleet, type TestFleet } from "../src/testing/with-fleet.ts";

describe("processes killed with -9", () => {
  let fleet: TestFleet;
  const resources = new AsyncDisposableStack();

  before(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "kills-"));
    resources.defer(() => rm(dataDir, { recursive: true, force: true }));
    const services = ["billing", "metering", "chat", "router"];
    fleet = resources.use(await startTestFleet({ dataDir, services, env: { ACK_WAIT_MS: "1500" } }));
  });
  after(() => resources.disposeAsync());

  test("at every named point of a request's life: answers go on, and the books are exact", async (t) => {
    const figures = await crashEverywhere(fleet, seeded(1));
    t.diagnostic(showFigures("every crash point", figures));
    assert.ok(isClean(figures), showFigures("every crash point", figures));
  });
});
