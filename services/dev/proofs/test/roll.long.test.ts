import assert from "node:assert/strict";
import { test } from "node:test";
import { withTemporaryDir } from "@uag/harness/fleet/temporary-dir";
import { seededRandom } from "@uag/harness/testing/seeded-random";
import { hasBalancer } from "@uag/local/balancer/haproxy";
import { roll } from "../src/roll/roll.ts";
import { isClean, showFigures } from "../src/soak/figures.ts";

test("restarts of services and routers and changes of the catalogue and all certificates fail no request, and the books are exact", async (t) => {
  const routers = hasBalancer() ? ["router"] : [];
  if (routers.length === 0) t.diagnostic("The only router is not restarted, because this machine has no HAProxy.");
  await withTemporaryDir(async (dataDir) => {
    const { figures, done, failed } = await roll({
      dataDir,
      random: seededRandom(1),
      streamSeconds: 3,
      services: ["mcp", "chat", ...routers],
      beside: routers.length === 0 ? ["billing", "metering", "router"] : ["billing", "metering"],
      load: { only: ["models", "admin", "mcp"], videos: false },
      report: (line) => t.diagnostic(line),
    });
    assert.ok(isClean(figures), showFigures("roll", figures));
    assert.equal(failed, 0);
    for (const name of ["chat", "long stream", "models", "admin", "mcp"]) assert.ok((done.get(name) ?? 0) > 0, name);
  });
});
