import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { resourceOf } from "./resource.ts";
import type { TracingSettings } from "./settings.ts";

/** Ended spans waiting for export. */
const maxQueueSize = 2_048;

/** Bounds what a request can make us store: longer attributes are truncated. */
const spanLimits = { attributeValueLengthLimit: 256, attributeCountLimit: 64 };

/**
 * Opens OpenTelemetry's SDK; imported only when tracing is enabled. An unresponsive collector costs
 * the memory of at most 2,048 ended spans; further ones are dropped.
 */
export function openProvider(service: string, settings: TracingSettings): TracerProvider {
  return new TracerProvider({
    resource: resourceOf(service),
    sampler: samplerOf(settings),
    spanLimits,
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter(), maxQueueSize })],
  });
}

function samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: share }: TracingSettings): Sampler {
  const plain: Sampler = name.endsWith("traceidratio")
    ? new TraceIdRatioBasedSampler(share)
    : name.endsWith("always_off")
      ? new AlwaysOffSampler()
      : new AlwaysOnSampler();
  return name.startsWith("parentbased_") ? new ParentBasedSampler({ root: plain }) : plain;
}
