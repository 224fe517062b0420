import { type LabelName, type MetricName, metricTable } from "@uag/contract/metrics/table";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** Upper bounds in seconds that suit both a local hop and a completion of several minutes. */
const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180, 600];

/**
 * The process's metrics, each with its row in the contract's table. On a hot path bind the labelled
 * child once (`counter.labels(...)`) and keep it.
 */
export interface Metrics {
  readonly registry: Registry;
  counter<N extends MetricName<"counter">>(name: N): Counter<LabelName<N>>;
  gauge<N extends MetricName<"gauge">>(name: N): Gauge<LabelName<N>>;
  /** A gauge, or a counter that is kept elsewhere, whose value is computed when it is scraped. */
  sampled(name: MetricName<"gauge" | "counter">, read: () => number): void;
  /** The same for a gauge with one label; values that are missing are not exported. */
  sampledBy<N extends MetricName<"gauge">>(name: N, label: LabelName<N>, read: () => ReadonlyMap<string, number>): void;
  /** The current values of gauges without labels, by name; unknown names are omitted. */
  read(names: readonly MetricName<"gauge">[]): Promise<Record<string, number>>;
  /** A histogram of seconds. */
  seconds<N extends MetricName<"histogram">>(name: N): Histogram<LabelName<N>>;
}

/**
 * Creates a Prometheus registry with Node's own metrics; every series carries the label `service`.
 */
export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  // Samples the event loop's delay once a second: at the default of 10 ms, sampling is most of an
  // idle process's work.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 1_000 });
  const row = <N extends MetricName>(name: N) => ({
    name,
    help: metricTable[name].help,
    labelNames: Object.keys(metricTable[name].labels) as LabelName<N>[],
    registers: [registry],
  });
  return {
    registry,
    counter: (name) => new Counter(row(name)),
    gauge: (name) => new Gauge(row(name)),
    sampled(name, read) {
      const Kind = metricTable[name].type === "counter" ? Counter : Gauge;
      const metric: Counter | Gauge = new Kind({
        ...row(name),
        collect() {
          metric.reset();
          metric.inc(read());
        },
      });
    },
    sampledBy(name, label, read) {
      const gauge: Gauge<string> = new Gauge<string>({
        ...row(name),
        collect() {
          gauge.reset();
          for (const [value, figure] of read()) gauge.set({ [label]: value }, figure);
        },
      });
    },
    async read(names) {
      const found = await Promise.all(names.map(async (name) => [name, await registry.getSingleMetric(name)?.get()]));
      return Object.fromEntries(
        (found as [string, { values: { value: number }[] } | undefined][]).flatMap(([name, metric]) => {
          const value = metric?.values[0]?.value;
          return value === undefined ? [] : [[name, value]];
        }),
      );
    },
    seconds: (name) => new Histogram({ ...row(name), buckets: secondsBuckets }),
  };
}
