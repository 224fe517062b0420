import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { type MetricRow, questions } from "@uag/contract/metrics/row";
import { exportedMetrics, histogramOf } from "@uag/contract/metrics/table";
import { repoRoot } from "@uag/local/paths";
import { engineCharts, serviceCharts } from "../charts/charts.ts";
import { grafanaJson, matchers, narrowed } from "./grafana.ts";
import { type Selector, selectorsOf } from "./promql.ts";
import { type Alert, readDashboards, readRules, runbookBase, runbookSpans, runbooks } from "./sources.ts";

const { groups } = await readRules();
const rules = groups.flatMap((group) => group.rules);
const alerts = rules.filter((rule): rule is Alert => "alert" in rule);
const recorded = new Set(rules.flatMap((rule) => ("record" in rule ? [rule.record] : [])));
const dashboards = await readDashboards();

/** Labels that the scrape, the registry or a histogram adds to a series. */
const common = new Set(["job", "pod", "instance", "service", "le"]);

function rowOf(metric: string): MetricRow | undefined {
  const family = histogramOf(metric);
  const row = exportedMetrics[metric] ?? exportedMetrics[family];
  return row?.type === "histogram" && family === metric ? undefined : row;
}

/** The groups of the fleet's chart, about what the services depend on. */
const fleetGroups = ["cluster", ...engineCharts];

/** Metrics of exporters that the handbook names, in the order of its table. */
const foreignMetrics = new Set([
  "kube_pod_status_phase",
  "kube_pod_deletion_timestamp",
  "kube_cronjob_status_last_successful_time",
  "kube_cronjob_created",
  "kubelet_volume_stats_available_bytes",
  "kubelet_volume_stats_capacity_bytes",
  "certmanager_certificate_expiration_timestamp_seconds",
  "gnatsd_healthz_status_value",
  "jetstream_server_total_message_bytes",
  "jetstream_server_max_storage",
  "mongodb_up",
  "mongodb_rs_members_health",
  "mongodb_rs_members_state",
]);

function faultsOf({ metric, labels }: Selector): string[] {
  if (foreignMetrics.has(metric)) return [];
  if (recorded.has(metric) || metric === "up") return [];
  const row = rowOf(metric);
  if (row === undefined) return [`unknown metric ${metric}`];
  return labels
    .filter((label) => !common.has(label) && !(label in row.labels))
    .map((label) => `${metric} has no label ${label}`);
}

test("finds selectors with their labels and rejects a query that is not PromQL", () => {
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

test("every metric and label in an alert or a dashboard exists", () => {
  const queries = [
    ...rules.map(({ expr }) => expr),
    ...dashboards.flatMap(({ panels }) => panels.flatMap((panel) => Object.values(panel.queries))),
  ];
  assert.ok(queries.length > 80, `${queries.length} queries`);
  assert.deepEqual(queries.flatMap(selectorsOf).flatMap(faultsOf), []);
});

async function sourceText(): Promise<string> {
  const exclude = (name: string): boolean => /(?:^|\/)(?:node_modules|test|dist)$/.test(name);
  const parts: string[] = [];
  for await (const file of glob("services/**/*.ts", { cwd: repoRoot, exclude }))
    parts.push(await readFile(join(repoRoot, file), "utf8"));
  return parts.join("\n");
}

test("every command, metric and log message in a runbook exists", async () => {
  const { scripts } = JSON.parse(await readFile(join(repoRoot, "package.json"), "utf8"));
  const sources = await sourceText();
  const seen = { commands: 0, metrics: 0, messages: 0 };
  for (const alert of await runbooks())
    for (const span of await runbookSpans(alert)) {
      const command = /^npm run ([\w:-]+)/.exec(span)?.[1];
      if (command !== undefined && ++seen.commands) assert.ok(command in scripts, `${alert}: npm run ${command}`);
      for (const [metric] of span.matchAll(/\buag_\w+/g))
        if (++seen.metrics) assert.ok(exportedMetrics[histogramOf(metric)], `${alert}: ${metric}`);
      if (
        /^[a-z][a-z',: ]+ [a-z'’]+ [a-z',: ]+$/i.test(span) &&
        !span.startsWith("npm ") &&
        !span.startsWith("kubectl ") &&
        ++seen.messages
      )
        assert.ok(sources.includes(span), `${alert}: no process logs "${span}"`);
    }
  assert.ok(seen.commands > 10 && seen.metrics > 20 && seen.messages > 12, JSON.stringify(seen));
});

test("every alert links to a runbook, and every runbook has an alert", async () => {
  const names = alerts.map(({ alert }) => alert).sort();
  assert.deepEqual(await runbooks(), names);
  for (const { alert, annotations } of alerts) assert.equal(annotations.runbook_url, `${runbookBase}/${alert}.md`);
});

test("every rule group belongs to a chart, and every dashboard to a question", () => {
  const owners = new Set(["process", "capability", ...fleetGroups, ...serviceCharts]);
  assert.deepEqual(
    groups.map(({ name }) => name).filter((name) => !owners.has(name)),
    [],
  );
  const titles: Readonly<Record<string, string>> = questions;
  for (const { name, question } of dashboards) assert.equal(question, titles[name]);
});

test("the handbook names every exporter's metric that an alert needs", async () => {
  const handbook = await readFile(join(repoRoot, "infra/README.md"), "utf8");
  const used = new Set(rules.flatMap(({ expr }) => selectorsOf(expr).map(({ metric }) => metric)));
  for (const metric of foreignMetrics) {
    assert.ok(used.has(metric), `an alert uses ${metric}`);
    assert.ok(handbook.includes(`\`${metric}\``), `the handbook names ${metric}`);
  }
});

test("every query of a dashboard is narrowed to the fleet, the namespace and the pods that the reader selects", () => {
  assert.equal(
    narrowed('sum by (a) (rate(uag_x_total{k="a"}[5m])) / max(up)'),
    `sum by (a) (rate(uag_x_total{k="a",${matchers}}[5m])) / max(up{${matchers}})`,
  );
  assert.equal(narrowed("uag_x{}"), `uag_x{${matchers}}`);
  for (const dashboard of dashboards) {
    const { templating, panels } = JSON.parse(grafanaJson(dashboard));
    assert.deepEqual(
      templating.list.map(({ name }: { name: string }) => name),
      ["datasource", "fleet", "namespace", "pod"],
    );
    for (const { targets } of panels)
      for (const { expr } of targets)
        for (const { labels } of selectorsOf(expr))
          for (const label of ["job", "namespace", "pod"])
            assert.ok(labels.includes(label), `${dashboard.name}: ${expr}`);
  }
});
