import { rowsOf } from "./row.ts";

const runtime = rowsOf("all", "capacity");

/** What the services that go by their database's clock export of it. */
export const clockMetrics = {
  uag_clock_skew_seconds: rowsOf("database clock", "capacity").gauge(
    "How far the process's clock is ahead of its database's.",
  ),
};

/** What prom-client exports of every process of Node.js. */
export const runtimeMetrics = {
  process_cpu_user_seconds_total: runtime.counter("Processor time in the program."),
  process_cpu_system_seconds_total: runtime.counter("Processor time in the kernel."),
  process_cpu_seconds_total: runtime.counter("Processor time."),
  process_start_time_seconds: runtime.gauge("When the process was started, Unix time."),
  process_resident_memory_bytes: runtime.gauge("Memory that is resident."),
  process_virtual_memory_bytes: runtime.gauge("Memory that is mapped."),
  process_heap_bytes: runtime.gauge("Data segment of the process."),
  process_open_fds: runtime.gauge("File descriptors that are open."),
  process_max_fds: runtime.gauge("File descriptors that may be open."),
  nodejs_eventloop_lag_seconds: runtime.gauge("How late the event loop is now."),
  nodejs_eventloop_lag_min_seconds: runtime.gauge("Least delay of the event loop since the last look."),
  nodejs_eventloop_lag_max_seconds: runtime.gauge("Greatest delay of the event loop since the last look."),
  nodejs_eventloop_lag_mean_seconds: runtime.gauge("Mean delay of the event loop since the last look."),
  nodejs_eventloop_lag_stddev_seconds: runtime.gauge("Standard deviation of that delay."),
  nodejs_eventloop_lag_p50_seconds: runtime.gauge("Its median."),
  nodejs_eventloop_lag_p90_seconds: runtime.gauge("Its 90th percentile."),
  nodejs_eventloop_lag_p99_seconds: runtime.gauge("Its 99th percentile."),
  nodejs_active_resources: runtime.gauge("What keeps the event loop running.", { type: "runtime" }),
  nodejs_active_resources_total: runtime.gauge("All of that."),
  nodejs_active_handles: runtime.gauge("Handles of libuv.", { type: "runtime" }),
  nodejs_active_handles_total: runtime.gauge("All of them."),
  nodejs_active_requests: runtime.gauge("Requests of libuv.", { type: "runtime" }),
  nodejs_active_requests_total: runtime.gauge("All of them."),
  nodejs_heap_size_total_bytes: runtime.gauge("Size of V8's heap."),
  nodejs_heap_size_used_bytes: runtime.gauge("What of it is used."),
  nodejs_external_memory_bytes: runtime.gauge("Memory outside of V8's heap."),
  nodejs_heap_space_size_total_bytes: runtime.gauge("Sizes of the heap's spaces.", { space: "runtime" }),
  nodejs_heap_space_size_used_bytes: runtime.gauge("What of them is used.", { space: "runtime" }),
  nodejs_heap_space_size_available_bytes: runtime.gauge("What of them is free.", { space: "runtime" }),
  nodejs_version_info: runtime.gauge("Node.js's version.", {
    version: "runtime",
    major: "runtime",
    minor: "runtime",
    patch: "runtime",
  }),
  nodejs_gc_duration_seconds: runtime.histogram("How long collections of garbage took.", { kind: "runtime" }),
} as const;
