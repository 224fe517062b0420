import { unitTable } from "@uag/catalog/units";
import { errorTable } from "@uag/contract/errors/table";
import type { LabelBound, LabelSet, MetricRow } from "@uag/contract/metrics/row";
import { exportedMetrics } from "@uag/contract/metrics/table";
import { adminRoutes, routes, serviceNames } from "@uag/contract/routes";
import type { Exposition, Series } from "@uag/harness/fleet/metrics";

/** A test whether a text is in a set. */
type Sets = Readonly<Record<LabelSet, (value: string) => boolean>>;

const operations = new Set([
  "none",
  ...routes.map((route) => ("operation" in route ? route.operation : route.query)),
  ...adminRoutes.map(({ operation }) => operation),
]);

const setsWith = (providers: ReadonlySet<string>): Sets => ({
  counter: (value) => /^[\w:-]{1,64}$/.test(value),
  error_code: (value) => value === "ok" || value in errorTable,
  http_status: (value) => /^[1-5]\d\d$/.test(value),
  model: (value) => /^[a-z0-9][a-z0-9._:/-]*$/.test(value),
  operation: (value) => operations.has(value),
  provider: (value) => providers.has(value),
  runtime: (value) => /^[\w.]{1,40}$/.test(value),
  tool: (value) => /^[a-z]+(?:_[a-z]+){0,3}$/.test(value),
  unit: (value) => value in unitTable,
});

const isIn = (bound: LabelBound, value: string, sets: Sets): boolean =>
  typeof bound === "string" ? sets[bound](value) : bound.includes(value);

/** Labels added by histograms or by the registry. */
const addedLabels = new Set(["service", "le", "quantile"]);

function* labelFaults({ metric, labels }: Series, row: MetricRow, sets: Sets): Generator<string> {
  for (const [label, value] of Object.entries(labels)) {
    const bound = row.labels[label];
    if (bound === undefined && !addedLabels.has(label)) yield `${metric} has a label ${label}`;
    if (bound !== undefined && !isIn(bound, value, sets)) yield `${metric} has ${label}="${value}"`;
  }
}

/** Services that count money, hold leases or expire files by their database's time. */
const byDatabaseClock: readonly string[] = ["auditor", "billing", "media", "metering", "notifications", "video"];

function exportersOf(process: string): ReadonlySet<string> {
  const exporters = new Set(["all", process]);
  if (serviceNames.includes(process as never)) exporters.add("capability");
  if (byDatabaseClock.includes(process)) exporters.add("database clock");
  return exporters;
}

function* faultsOf({ process, types, series }: Exposition, sets: Sets): Generator<string> {
  const exporters = exportersOf(process);
  for (const [name, type] of types) {
    const row = exportedMetrics[name];
    if (row === undefined) yield `${process} exports ${name}, which is not in the table`;
    else if (row.type !== type) yield `${name} is a ${type}, in the table a ${row.type}`;
    else if (!exporters.has(row.exporter)) yield `${process} exports ${name} of ${row.exporter}`;
  }
  for (const one of series) {
    const row = exportedMetrics[one.metric];
    if (row !== undefined) yield* labelFaults(one, row, sets);
  }
  for (const [name, row] of Object.entries(exportedMetrics))
    if (exporters.has(row.exporter) && !types.has(name)) yield `${process} does not export ${name}`;
}

/** The differences between the processes' metrics and the table, each once. */
export function faultsOfMetrics(shown: readonly Exposition[], providers: ReadonlySet<string>): string[] {
  const sets = setsWith(providers);
  return [...new Set(shown.flatMap((one) => [...faultsOf(one, sets)]))];
}
