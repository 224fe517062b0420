import assert from "node:assert/strict";
import { test } from "node:test";
import { processMemory } from "@uag/untrusted/memory-limit";
import { readValues, serviceCharts } from "./charts.ts";

const mebibytes = (quantity: string): number => {
  const [, count, unit] = /^(\d+)(Mi|Gi)$/.exec(quantity) ?? assert.fail(quantity);
  return Number(count) * (unit === "Gi" ? 1_024 : 1);
};

interface Resources {
  readonly requests: { readonly memory: string };
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
