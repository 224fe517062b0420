import { z } from "zod";

/** Sampler names, as in OpenTelemetry's variables. */
const samplerNames = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

type SamplerName = (typeof samplerNames)[number];

/**
 * OpenTelemetry's own variables that decide whether to trace, and what. The exporter reads its own
 * (headers, timeout, compression, certificates).
 */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("OTLP/HTTP endpoint for traces, such as `http://collector:4318`. Unset: no traces."),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("The same with the full path; takes precedence over OTEL_EXPORTER_OTLP_ENDPOINT."),
  OTEL_SDK_DISABLED: z.enum(["true", "false"]).default("false").describe("`true` disables traces."),
  OTEL_TRACES_SAMPLER: z
    .enum(samplerNames)
    .default("parentbased_always_on")
    .describe("The sampler. `parentbased_*` follow the client's `traceparent` if present."),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe("The share of requests that `traceidratio` and `parentbased_traceidratio` sample."),
} as const;

/** OpenTelemetry's own variables that decide whether metrics of inferences are exported by OTLP. */
export const inferenceMetricsSettings = {
  OTEL_METRICS_EXPORTER: z
    .enum(["otlp", "none"])
    .default("otlp")
    .describe("`none`: an OTLP endpoint gets traces, but no metrics of inferences."),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("OTLP/HTTP endpoint for metrics of inferences, with the full path; unset: OTEL_EXPORTER_OTLP_ENDPOINT."),
} as const;

/** The values of {@link inferenceMetricsSettings}. */
export interface InferenceMetricsSettings {
  readonly OTEL_METRICS_EXPORTER: "otlp" | "none";
  readonly OTEL_EXPORTER_OTLP_METRICS_ENDPOINT?: string | undefined;
}

/** The values of {@link tracingSettings}. */
export interface TracingSettings {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  readonly OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string | undefined;
  readonly OTEL_SDK_DISABLED: "true" | "false";
  readonly OTEL_TRACES_SAMPLER: SamplerName;
  readonly OTEL_TRACES_SAMPLER_ARG: number;
}
