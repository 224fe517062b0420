import { backgroundMetrics } from "./background.ts";
import { batchMetrics } from "./batches.ts";
import { ledgerMetrics, usageMetrics } from "./money.ts";
import { notificationMetrics } from "./notifications.ts";
import { requestMetrics } from "./requests.ts";
import type { MetricRow, MetricType } from "./row.ts";
import { clockMetrics, runtimeMetrics } from "./runtime.ts";
import { videoMetrics } from "./video.ts";

/**
 * Every metric that our code exports. Names start with `uag_` and end with their unit, those of
 * counters with `_total`; a metric without a unit is a count.
 */
export const metricTable = {
  ...requestMetrics,
  ...usageMetrics,
  ...ledgerMetrics,
  ...videoMetrics,
  ...batchMetrics,
  ...backgroundMetrics,
  ...notificationMetrics,
  ...clockMetrics,
} as const;

/** The type of {@link metricTable}. */
type MetricTable = typeof metricTable;

/** The names of the metrics of one type. */
export type MetricName<T extends MetricType = MetricType> = {
  [N in keyof MetricTable]: MetricTable[N]["type"] extends T ? N : never;
}[keyof MetricTable];

/** The labels of a metric. */
export type LabelName<N extends MetricName> = Extract<keyof MetricTable[N]["labels"], string>;

/** The metric that a histogram's series belongs to; other names are returned unchanged. */
export const histogramOf = (series: string): string => series.replace(/_(?:bucket|sum|count)$/, "");

/** Every metric that our processes export, including those of Node.js. */
export const exportedMetrics: Readonly<Record<string, MetricRow>> = { ...metricTable, ...runtimeMetrics };
