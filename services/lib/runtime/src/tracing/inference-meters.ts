import type { Attributes } from "@opentelemetry/api";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { resourceOf } from "./resource.ts";

/** The client metrics of OpenTelemetry's conventions for generative AI. */
export interface InferenceMeters {
  /** @param seconds from the admission of a request to its bill */
  duration(seconds: number, attributes: Attributes): void;
  /** @param type which of a request's tokens are counted */
  tokens(count: number, type: "input" | "output", attributes: Attributes): void;
  shutdown(): Promise<void>;
}

/**
 * Bucket boundaries of the conventions.
 * https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/gen-ai-metrics.md
 */
const secondsBoundaries = Array.from({ length: 14 }, (_, n) => 2 ** n / 100);
const tokenBoundaries = Array.from({ length: 14 }, (_, n) => 4 ** n);

/** Opens OpenTelemetry's metrics SDK; imported only when metrics are exported by OTLP. */
export function openInferenceMeters(service: string): InferenceMeters {
  const reader = new PeriodicExportingMetricReader({ exporter: new OTLPMetricExporter() });
  const provider = new MeterProvider({ resource: resourceOf(service), readers: [reader] });
  const meter = provider.getMeter("unified-ai-gateway", "1.0.0");
  const duration = meter.createHistogram("gen_ai.client.operation.duration", {
    description: "GenAI operation duration.",
    unit: "s",
    advice: { explicitBucketBoundaries: secondsBoundaries },
  });
  const tokens = meter.createHistogram("gen_ai.client.token.usage", {
    description: "Number of input and output tokens used.",
    unit: "{token}",
    advice: { explicitBucketBoundaries: tokenBoundaries },
  });
  return {
    duration: (seconds, attributes) => duration.record(seconds, attributes),
    tokens: (count, type, attributes) => tokens.record(count, { ...attributes, "gen_ai.token.type": type }),
    shutdown: () => provider.shutdown(),
  };
}
