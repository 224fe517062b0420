import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { repoRoot } from "@uag/local/paths";
import { processMemory } from "@uag/untrusted/memory-limit";
import { readValues, serviceCharts } from "./charts.ts";

const mebibytes = (quantity: string): number => {
  const [, count, unit] = /^(\d+)(Mi|Gi)$/.exec(quantity) ?? assert.fail(quantity);
  return Number(count) * (unit === "Gi" ? 1_024 : 1);
};

interface Resources {
  readonly requests: { readonly memory: string; readonly cpu: string };
  readonly limits: { readonly memory: string };
}

test("every service's chart has the memory limit from which the service derives its buffers", async () => {
  const table: Readonly<Record<string, { limitMiB: number; restMiB: number }>> = processMemory;
  assert.deepEqual(Object.keys(table).sort(), [...serviceCharts].sort());
  for (const chart of serviceCharts) {
    const { limits, requests } = (await readValues(chart))["resources"] as Resources;
    assert.equal(mebibytes(limits.memory), table[chart]?.limitMiB, chart);
    assert.ok(mebibytes(requests.memory) >= (table[chart]?.restMiB ?? 0), `${chart} requests at least its idle memory`);
  }
});

test("services on the path of every request ask for the CPU that 3,000 requests a second were measured to take", async () => {
  const measured = await readFile(join(repoRoot, "infra/measurements.md"), "utf8");
  for (const [chart, name] of [
    ["router", "router"],
    ["chat", "chat"],
    ["billing", "billing"],
    ["metering", "metering"],
    ["mongodb", "`mongod`"],
  ] as const) {
    const [, most] =
      new RegExp(`${name} \\d+ to (\\d+)(?: µs|, )`).exec(measured) ?? assert.fail(`no figure of ${name}`);
    const { requests } = (await readValues(chart))["resources"] as Resources;
    const [, millicores] = /^(\d+)m$/.exec(requests.cpu) ?? assert.fail(requests.cpu);
    const needed = (Number(most) * 3_000) / 1_000;
    assert.ok(Number(millicores) >= needed, `${chart} asks for ${millicores}m and needs ${needed}m`);
    assert.ok(Number(millicores) <= 1_000, `${chart} is one process, which uses one core`);
  }
});
