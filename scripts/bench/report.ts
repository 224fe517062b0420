import type { ScenarioResult } from "./scenarios.ts";
import { type Spread, type Summary, sumOf } from "./summary.ts";
import type { TargetName } from "./targets.ts";

/**
 * One line of the report: a measure of one scenario for every target. NaN where it was not
 * measured.
 */
export interface Row {
  readonly scenario: string;
  readonly measure: string;
  readonly values: Readonly<Record<TargetName, number>>;
  /** The gateway's value over the baseline's. */
  readonly ratio: number;
  readonly goal: Goal | undefined;
}

/** The gateway's goal. */
interface Goal {
  readonly kind: "most" | "least";
  readonly value: number;
}

type Measure = (summary: Summary, direct: Summary | undefined) => number;

export function rowsOf(result: ScenarioResult): Row[] {
  switch (result.name) {
    case "json":
      return [
        row(result, "requests/s", (of) => of.requestsPerSecond, { kind: "least", value: 9_000 }),
        ...spreadRows(result, "latency", (of) => of.latency),
        ...cpuRows(result, "CPU us per request", (of) => of.cpuUsPerRequest, { own: 150, all: 185 }),
      ];
    case "gemini":
      return [
        row(result, "requests/s", (of) => of.requestsPerSecond),
        ...spreadRows(result, "latency", (of) => of.latency),
        ...cpuRows(result, "CPU us per request", (of) => of.cpuUsPerRequest),
      ];
    case "vectors":
    case "vectors64":
      return [
        row(result, "requests/s", (of) => of.requestsPerSecond),
        ...spreadRows(result, "latency", (of) => of.latency),
        ...cpuRows(result, "CPU ms per request", (of) => milliseconds(of.cpuUsPerRequest), { own: 4 }),
      ];
    case "rate":
      return [
        ...spreadRows(result, "latency", (of) => of.latency),
        ...addedRows(result, "latency", (of) => of.latency, { p50: 0.5, p99: 2 }),
        ...cpuRows(result, "CPU us per request", (of) => of.cpuUsPerRequest),
      ];
    case "sse":
      return [
        row(result, "chunks/s", (of) => of.chunksPerSecond),
        ...spreadRows(result, "first chunk", (of) => of.firstChunk),
        ...addedRows(result, "first chunk", (of) => of.firstChunk),
        ...spreadRows(result, "chunk delay", (of) => of.chunkDelay),
        ...addedRows(result, "chunk delay", (of) => of.chunkDelay),
        ...cpuRows(result, "CPU ms per 1,000 chunks", (of) => of.cpuMsPer1000Chunks, { own: 20 }),
      ];
    case "slow":
      return [
        ...cpuRows(result, "KiB per stream", (of) => of.kibPerStream, { own: 40 }),
        ...cpuRows(result, "RSS before, MiB", (of) => mebibytes(of.residentKib)),
        ...spreadRows(result, "first chunk", (of) => of.firstChunk),
        ...spreadRows(result, "chunk delay", (of) => of.chunkDelay),
        ...cpuRows(result, "CPU ms per 1,000 chunks", (of) => of.cpuMsPer1000Chunks),
      ];
  }
}

function milliseconds(us: ReadonlyMap<string, number>): Map<string, number> {
  return new Map([...us].map(([name, value]) => [name, value / 1_000]));
}

function mebibytes(kib: ReadonlyMap<string, number>): Map<string, number> {
  return new Map([...kib].map(([name, value]) => [name, value / 1_024]));
}

function row(result: ScenarioResult, measure: string, of: Measure, goal?: Goal): Row {
  const direct = result.summaries.get("direct");
  const value = (name: TargetName) => {
    const summary = result.summaries.get(name);
    return summary === undefined ? Number.NaN : of(summary, direct);
  };
  const values = { direct: value("direct"), baseline: value("baseline"), gateway: value("gateway") };
  return { scenario: result.title, measure, values, ratio: values.gateway / values.baseline, goal };
}

function spreadRows(result: ScenarioResult, label: string, of: (summary: Summary) => Spread): Row[] {
  return [
    row(result, `${label} p50, ms`, (summary) => of(summary).p50),
    row(result, `${label} p99, ms`, (summary) => of(summary).p99),
  ];
}

/** The latency that a gateway adds to the bare upstream, by percentile. */
function addedRows(
  result: ScenarioResult,
  label: string,
  of: (summary: Summary) => Spread,
  goals?: { readonly p50: number; readonly p99: number },
): Row[] {
  return (["p50", "p99"] as const).map((percentile) =>
    row(
      result,
      `added ${label} ${percentile}, ms`,
      (summary, direct) =>
        direct === undefined || direct === summary ? Number.NaN : of(summary)[percentile] - of(direct)[percentile],
      goals && { kind: "most", value: goals[percentile] },
    ),
  );
}

/** The sum, then each process of the gateway, then the sum with its engines. */
function cpuRows(
  result: ScenarioResult,
  label: string,
  of: (summary: Summary) => ReadonlyMap<string, number>,
  goals?: { readonly own: number; readonly all?: number },
): Row[] {
  const gateway = result.summaries.get("gateway");
  const names = gateway === undefined ? [] : [...of(gateway).keys()];
  const max = (value: number | undefined): Goal | undefined =>
    value === undefined ? undefined : { kind: "most", value };
  const parts = names.map((name) => row(result, `  ${name}`, (summary) => of(summary).get(name) ?? Number.NaN));
  const withEngines = row(result, "  with the engines", (summary) => sumOf(of(summary), "all"), max(goals?.all));
  return [
    row(result, label, (summary) => sumOf(of(summary), "own"), max(goals?.own)),
    ...parts,
    ...(names.length > 0 ? [withEngines] : []),
  ];
}

const columns = ["", "direct", "baseline", "gateway", "gateway/baseline", "goal"] as const;

/** The rows as one table of text. */
export function renderTable(rows: readonly Row[]): string {
  const lines: string[][] = [[...columns]];
  let scenario = "";
  for (const row of rows) {
    if (row.scenario !== scenario) lines.push([], [row.scenario]);
    scenario = row.scenario;
    const { direct, baseline, gateway } = row.values;
    lines.push([
      `  ${row.measure}`,
      ...[direct, baseline, gateway].map(formatNumber),
      formatNumber(row.ratio),
      formatGoal(row),
    ]);
  }
  const widths = columns.map((_, index) =>
    Math.max(...lines.filter((line) => line.length > 1).map((line) => line[index]!.length)),
  );
  const cell = (text: string, index: number) => (index === 0 ? text.padEnd(widths[0]!) : text.padStart(widths[index]!));
  return lines.map((line) => line.map(cell).join("  ").trimEnd()).join("\n");
}

function formatGoal({ goal, values }: Row): string {
  if (goal === undefined) return "";
  const sign = goal.kind === "most" ? "<=" : ">=";
  const wanted = `${sign} ${formatNumber(goal.value)}`;
  if (Number.isNaN(values.gateway)) return wanted;
  // Memory that shrank while streams were open does not indicate a stream's memory.
  if (goal.kind === "most" && values.gateway <= 0) return `${wanted} not measurable`;
  const met = goal.kind === "most" ? values.gateway <= goal.value : values.gateway >= goal.value;
  return `${wanted} ${met ? "met" : "missed"}`;
}

export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return "-";
  const size = Math.abs(value);
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : 2;
  return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
