import { rowsOf } from "./row.ts";

const runtime = rowsOf("all", "capacity");

/** Metrics of services that use their database's clock. */
export const clockMetrics = {
  uag_clock_skew_seconds: rowsOf("database clock", "capacity").gauge(
    "Offset of the process's clock from its database's clock; positive if ahead.",
  ),
};

/** Metrics that prom-client exports for every Node.js process. */
export const runtimeMetrics = {
  process_cpu_user_seconds_total: runtime.counter("CPU time in user mode."),
  process_cpu_system_seconds_total: runtime.counter("CPU time in kernel mode."),
  process_cpu_seconds_total: runtime.counter("Total CPU time."),
  process_start_time_seconds: runtime.gauge("Start time of the process, Unix time."),
  process_resident_memory_bytes: runtime.gauge("Resident memory."),
  process_virtual_memory_bytes: runtime.gauge("Virtual memory."),
  process_heap_bytes: runtime.gauge("Heap size of the process."),
  process_open_fds: runtime.gauge("Open file descriptors."),
  process_max_fds: runtime.gauge("Limit of open file descriptors."),
  nodejs_eventloop_lag_seconds: runtime.gauge("Current event loop delay."),
  nodejs_eventloop_lag_min_seconds: runtime.gauge("Minimum event loop delay since the last scrape."),
  nodejs_eventloop_lag_max_seconds: runtime.gauge("Maximum event loop delay since the last scrape."),
  nodejs_eventloop_lag_mean_seconds: runtime.gauge("Mean event loop delay since the last scrape."),
  nodejs_eventloop_lag_stddev_seconds: runtime.gauge("Standard deviation of the event loop delay."),
  nodejs_eventloop_lag_p50_seconds: runtime.gauge("Median event loop delay."),
  nodejs_eventloop_lag_p90_seconds: runtime.gauge("90th percentile of the event loop delay."),
  nodejs_eventloop_lag_p99_seconds: runtime.gauge("99th percentile of the event loop delay."),
  nodejs_active_resources: runtime.gauge("Resources that keep the event loop alive, by type.", { type: "runtime" }),
  nodejs_active_resources_total: runtime.gauge("Resources that keep the event loop alive."),
  nodejs_active_handles: runtime.gauge("libuv handles, by type.", { type: "runtime" }),
  nodejs_active_handles_total: runtime.gauge("libuv handles."),
  nodejs_active_requests: runtime.gauge("libuv requests, by type.", { type: "runtime" }),
  nodejs_active_requests_total: runtime.gauge("libuv requests."),
  nodejs_heap_size_total_bytes: runtime.gauge("Size of V8's heap."),
  nodejs_heap_size_used_bytes: runtime.gauge("Used part of V8's heap."),
  nodejs_external_memory_bytes: runtime.gauge("Memory outside V8's heap."),
  nodejs_heap_space_size_total_bytes: runtime.gauge("Size of each heap space.", { space: "runtime" }),
  nodejs_heap_space_size_used_bytes: runtime.gauge("Used part of each heap space.", { space: "runtime" }),
  nodejs_heap_space_size_available_bytes: runtime.gauge("Free part of each heap space.", { space: "runtime" }),
  nodejs_version_info: runtime.gauge("Version of Node.js.", {
    version: "runtime",
    major: "runtime",
    minor: "runtime",
    patch: "runtime",
  }),
  nodejs_gc_duration_seconds: runtime.histogram("Garbage collection duration.", { kind: "runtime" }),
} as const;
