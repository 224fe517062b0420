import { cachedUnits, inputUnits, outputUnits } from "@uag/catalog/units";
import type { Measures, Percentiles } from "@uag/proto/metering/v1/metering.ts";
import { binCount, percentilesOf } from "@uag/runtime/histogram";
import type { ErrorClass } from "../store/rollup.ts";

const errorClasses: readonly ErrorClass[] = ["rateLimited", "clientError", "upstreamError", "clientLeft", "crashed"];
const bins = Array.from({ length: binCount }, (_, bin) => bin);

const sumOf = (names: Iterable<string>) => ({
  $sum: { $add: [...names].map((name) => ({ $ifNull: [`$units.${name}`, 0] })) },
});
const each = (field: string, names: readonly (string | number)[]) =>
  Object.fromEntries(names.map((name) => [`${field}_${name}`, { $sum: `$${field}.${name}` }]));

/** The sums over roll-ups, as accumulators of a `$group`. */
export const sums = {
  requests: { $sum: "$requests" },
  cost: { $sum: "$costNanoUsd" },
  writtenOff: { $sum: "$writtenOffNanoUsd" },
  input: sumOf(inputUnits),
  cached: sumOf(cachedUnits),
  output: sumOf(outputUnits),
  ...each("failures", errorClasses),
  ...each("latency", bins),
  ...each("firstByte", bins),
};

export type Sums = Readonly<Record<string, bigint>>;

/** A row of the aggregation; its group is null for all others. */
export type Row = { readonly _id: { readonly start: Date; readonly group: string | null } } & Readonly<
  Record<string, number | bigint>
>;

export function rowOf(row: Row): Sums {
  return Object.fromEntries(Object.keys(sums).map((name) => [name, BigInt(row[name] ?? 0)]));
}

export function addRow(a: Sums, b: Sums): Sums {
  return Object.fromEntries(Object.keys(sums).map((name) => [name, (a[name] ?? 0n) + (b[name] ?? 0n)]));
}

export function toMeasures(row: Sums): Measures {
  const of = (name: string): bigint => row[name] ?? 0n;
  const times = (field: string): Percentiles | undefined => {
    const found = percentilesOf(bins.map((bin) => Number(of(`${field}_${bin}`))));
    return found && { count: BigInt(found.count), p50Ms: found.p50, p95Ms: found.p95, p99Ms: found.p99 };
  };
  const error = (name: ErrorClass): bigint => of(`failures_${name}`);
  return {
    requests: of("requests"),
    costNanoUsd: of("cost"),
    writtenOffNanoUsd: of("writtenOff"),
    inputTokens: of("input"),
    cachedInputTokens: of("cached"),
    outputTokens: of("output"),
    errors: {
      rateLimited: error("rateLimited"),
      clientError: error("clientError"),
      upstreamError: error("upstreamError"),
      clientLeft: error("clientLeft"),
      crashed: error("crashed"),
    },
    latency: times("latency"),
    firstByte: times("firstByte"),
  };
}
