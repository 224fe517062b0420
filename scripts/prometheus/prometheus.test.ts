import assert from "node:assert/strict";
import { test } from "node:test";
import { type MetricRow, questions } from "../../services/contract/src/metrics/row.ts";
import { exportedMetrics, histogramOf } from "../../services/contract/src/metrics/table.ts";
import { serviceCharts } from "../charts/charts.ts";
import { type Selector, selectorsOf } from "./promql.ts";
import { type Alert, readDashboards, readRules, runbooks } from "./sources.ts";

const { groups } = await readRules();
const rules = groups.flatMap((group) => group.rules);
const alerts = rules.filter((rule): rule is Alert => "alert" in rule);
const recorded = new Set(rules.flatMap((rule) => ("record" in rule ? [rule.record] : [])));
const dashboards = await readDashboards();

/** Labels that a series has besides its row's: the scrape's, the registry's, a histogram's. */
const common = new Set(["job", "pod", "instance", "service", "le"]);

function rowOf(metric: string): MetricRow | undefined {
  const family = histogramOf(metric);
  const row = exportedMetrics[metric] ?? exportedMetrics[family];
  return row?.type === "histogram" && family === metric ? undefined : row;
}

function faultsOf({ metric, labels }: Selector): string[] {
  if (recorded.has(metric) || metric === "up") return [];
  const row = rowOf(metric);
  if (row === undefined) return [`there is no metric ${metric}`];
  return labels
    .filter((label) => !common.has(label) && !(label in row.labels))
    .map((label) => `${metric} has no label ${label}`);
}

test("selectors are found with their labels, and what is no PromQL is refused", () => {
  const query = 'sum by (a) (rate(uag_x_total{k=~"a|b",c!="d"}[5m])) / up > 0.5';
  assert.deepEqual(selectorsOf(query), [
    { metric: "uag_x_total", labels: ["k", "c"] },
    { metric: "up", labels: [] },
  ]);
  assert.throws(() => selectorsOf("sum(rate("), /not PromQL/);
  const wrong = selectorsOf('uag_nothing_total + uag_requests_total{model="m"} + uag_request_seconds').flatMap(
    faultsOf,
  );
  assert.equal(wrong.length, 3);
});

test("every metric and label that an alert or a dashboard asks for exists", () => {
  const queries = [
    ...rules.map(({ expr }) => expr),
    ...dashboards.flatMap(({ panels }) => panels.flatMap((panel) => Object.values(panel.queries))),
  ];
  assert.ok(queries.length > 80, `${queries.length} queries`);
  assert.deepEqual(queries.flatMap(selectorsOf).flatMap(faultsOf), []);
});

test("every alert has a page of what to do, named in it, and every page an alert", async () => {
  const names = alerts.map(({ alert }) => alert).sort();
  assert.deepEqual(await runbooks(), names);
  for (const { alert, annotations } of alerts) assert.equal(annotations.runbook, `infra/runbooks/${alert}.md`);
});

test("every group of rules belongs to a chart, and every dashboard answers a question of those on call", () => {
  const owners = new Set(["process", "capability", ...serviceCharts]);
  assert.deepEqual(
    groups.map(({ name }) => name).filter((name) => !owners.has(name)),
    [],
  );
  const titles: Readonly<Record<string, string>> = questions;
  for (const { name, question } of dashboards) assert.equal(question, titles[name]);
});
