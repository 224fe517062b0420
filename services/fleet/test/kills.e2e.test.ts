import assert from "node:assert/strict";
import { test } from "node:test";
import { crashEverywhere } from "../src/soak/crash.ts";
import { isClean, showFigures } from "../src/soak/figures.ts";
import { seeded } from "../src/soak/kills.ts";
import { withFleet } from "../src/testing/with-fleet.ts";

const services = ["billing", "metering", "chat", "router"];

test("processes killed with -9 at every named point of a request's life: answers go on, and the books are exact", async (t) => {
  await withFleet({ services, env: { ACK_WAIT_MS: "1500" } }, async (fleet) => {
    const figures = await crashEverywhere(fleet, seeded(1));
    t.diagnostic(showFigures("every crash point", figures));
    assert.ok(isClean(figures), showFigures("every crash point", figures));
  });
});
