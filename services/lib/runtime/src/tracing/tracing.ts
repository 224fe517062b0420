import { setTimeout as sleep } from "node:timers/promises";
import type { Attributes, Span, SpanContext, SpanKind, Tracer } from "@opentelemetry/api";
import type { Logger } from "../log.ts";
import type { InferenceMeters } from "./inference-meters.ts";
import type { InferenceMetricsSettings, TracingSettings } from "./settings.ts";

/** A stopping process does not wait longer for an unreachable collector. */
const maxShutdownMs = 2_000;

/** The initial state of a span. */
interface SpanStart {
  readonly kind: keyof typeof SpanKind;
  /** Undefined: starts a trace. */
  readonly parent: SpanContext | undefined;
  /** Other spans that it relates to. */
  readonly links?: readonly SpanContext[];
  readonly attributes: Attributes;
}

/** Creates spans and exports them when they end. Disposing exports the last ones. */
export interface Tracing extends AsyncDisposable {
  start(name: string, start: SpanStart): Span;
}

/** Logs failures of OpenTelemetry's exporters, which are reported nowhere else. @returns the same log, for our own */
async function reportFailures(log: Logger): Promise<(message: string, ...details: unknown[]) => void> {
  const { diag, DiagLogLevel } = await import("@opentelemetry/api");
  const warn = (message: string, ...details: unknown[]): void => log.warn({ details }, `OpenTelemetry: ${message}`);
  const quiet = (): void => {};
  const logger = { error: warn, warn, info: quiet, debug: quiet, verbose: quiet };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  return warn;
}

/** The metrics of inferences, exported every minute. Disposing exports the last ones. */
export interface InferenceMetrics extends Pick<InferenceMeters, "duration" | "tokens">, AsyncDisposable {}

/**
 * Opens the metrics of inferences according to the settings; undefined when they name no collector.
 * @param service `service.name` of the metrics, unless `OTEL_SERVICE_NAME` names another
 */
export async function openInferenceMetrics(
  service: string,
  settings: TracingSettings & InferenceMetricsSettings,
  log: Logger,
): Promise<InferenceMetrics | undefined> {
  const url = settings.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT ?? settings.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (url === undefined || settings.OTEL_SDK_DISABLED === "true" || settings.OTEL_METRICS_EXPORTER === "none")
    return undefined;
  const { openInferenceMeters } = await import("./inference-meters.ts");
  const warn = await reportFailures(log);
  const meters = openInferenceMeters(service);
  return {
    duration: meters.duration,
    tokens: meters.tokens,
    async [Symbol.asyncDispose]() {
      const sent = meters.shutdown().catch((error: unknown) => warn("the last metrics were lost", error));
      await Promise.race([sent, sleep(maxShutdownMs, undefined, { ref: false })]);
    },
  };
}

/**
 * Opens tracing according to the settings; undefined when they name no collector: then nothing of
 * OpenTelemetry is loaded, and requests pay nothing.
 * @param service `service.name` of its spans, unless `OTEL_SERVICE_NAME` names another
 */
export async function openTracing(
  service: string,
  settings: TracingSettings,
  log: Logger,
): Promise<Tracing | undefined> {
  const url = settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? settings.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (url === undefined || settings.OTEL_SDK_DISABLED === "true") return undefined;
  const { ROOT_CONTEXT, SpanKind: kinds, trace } = await import("@opentelemetry/api");
  const { openProvider } = await import("./provider.ts");
  const warn = await reportFailures(log);
  const provider = openProvider(service, settings);
  const tracer: Tracer = provider.getTracer("unified-ai-gateway", "1.0.0");
  return {
    start(name, { kind, parent, links = [], attributes }) {
      const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
      return tracer.startSpan(
        name,
        { kind: kinds[kind], attributes, links: links.map((span) => ({ context: span })) },
        context,
      );
    },
    async [Symbol.asyncDispose]() {
      const sent = provider.shutdown().catch((error: unknown) => warn("the last traces were lost", error));
      await Promise.race([sent, sleep(maxShutdownMs, undefined, { ref: false })]);
    },
  };
}
