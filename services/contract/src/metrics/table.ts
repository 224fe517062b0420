import { ledgerMetrics, usageMetrics } from "./money.ts";
import { requestMetrics } from "./requests.ts";
import type { MetricRow, MetricType } from "./row.ts";
import { clockMetrics, runtimeMetrics } from "./runtime.ts";
import { videoMetrics } from "./video.ts";

/**
 * Every metric of ours: whoever counts something takes it from here. Names begin with `uag_` and
 * end with their unit, counters' with `_total`; what has no unit is a number of things.
 */
export const metricTable = {
  ...requestMetrics,
  ...usageMetrics,
  ...ledgerMetrics,
  ...videoMetrics,
  ...clockMetrics,
} as const;

/** The table, by names. */
export type MetricTable = typeof metricTable;

/** The metrics of a type. */
export type MetricName<T extends MetricType = MetricType> = {
  [N in keyof MetricTable]: MetricTable[N]["type"] extends T ? N : never;
}[keyof MetricTable];

/** The labels of a metric. */
export type LabelName<N extends MetricName> = Extract<keyof MetricTable[N]["labels"], string>;

/** The metric that a series of a histogram is named after, if it is one. */
export const histogramOf = (series: string): string => series.replace(/_(?:bucket|sum|count)$/, "");

/** Everything that our processes export, Node.js's own included. */
export const exportedMetrics: Readonly<Record<string, MetricRow>> = { ...metricTable, ...runtimeMetrics };
