import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { buildCharts, fleetChart, render } from "./charts.ts";
import { documentedCommands, problemsOf } from "./kubectl-commands.ts";

/** Everything that the documents name. */
const values = ["toolbox.enabled", "global.nats.bundled", "global.mongodb.bundled", "metering.keda.enabled"];

test("every kubectl command of the handbook and the runbooks names objects that the charts create", async () => {
  const dir = await mkdtemp(join(tmpdir(), "kubectl-commands-"));
  try {
    await buildCharts(join(dir, "charts"));
    const set = values.flatMap((value) => ["--set", `${value}=true`]);
    const objects = await render(join(dir, "charts"), fleetChart, set);
    const commands = await documentedCommands();
    assert.ok(commands.length > 30, `${commands.length} commands`);
    const problems = commands.flatMap(({ file, text }) =>
      problemsOf(text, objects).map((problem) => `${file}: ${text}: ${problem}`),
    );
    assert.deepEqual(problems, []);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
