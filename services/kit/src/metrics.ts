import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** Upper bounds in seconds that suit both a local hop and a completion of several minutes. */
const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180, 600];

/**
 * The process's metrics. On a hot path bind the labelled child once (`counter.labels(...)`) and
 * keep it.
 */
export interface Metrics {
  readonly registry: Registry;
  counter<L extends string>(name: string, help: string, labels?: readonly L[]): Counter<L>;
  gauge<L extends string>(name: string, help: string, labels?: readonly L[]): Gauge<L>;
  /** A gauge whose value is computed when it is scraped. */
  sampled(name: string, help: string, read: () => number): void;
  /** The current values of gauges without labels, by name; unknown names are omitted. */
  read(names: readonly string[]): Promise<Record<string, number>>;
  /** A histogram of seconds. */
  seconds<L extends string>(name: string, help: string, labels?: readonly L[]): Histogram<L>;
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
  const common = <L extends string>(name: string, help: string, labels: readonly L[]) => ({
    name,
    help,
    labelNames: labels,
    registers: [registry],
  });
  return {
    registry,
    counter: (name, help, labels = []) => new Counter(common(name, help, labels)),
    gauge: (name, help, labels = []) => new Gauge(common(name, help, labels)),
    sampled: (name, help, read) => {
      const gauge: Gauge = new Gauge({ ...common(name, help, []), collect: () => gauge.set(read()) });
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
    seconds: (name, help, labels = []) => new Histogram({ ...common(name, help, labels), buckets: secondsBuckets }),
  };
}
