import { setTimeout as sleep } from "node:timers/promises";
import type { Attributes, Span, SpanContext, SpanKind, Tracer } from "@opentelemetry/api";
import type { Logger } from "../log.ts";
import type { TracingSettings } from "./settings.ts";

/** A process that stops does not wait longer for a collector that is away. */
const maxShutdownMs = 2_000;

/** What a span starts with. */
export interface SpanStart {
  readonly kind: keyof typeof SpanKind;
  /** Undefined: it begins a trace. */
  readonly parent: SpanContext | undefined;
  readonly attributes: Attributes;
}

/** Makes spans, and sends them when they have ended. Disposing sends the last. */
export interface Tracing extends AsyncDisposable {
  start(name: string, start: SpanStart): Span;
}

/**
 * Tracing as the settings want it; undefined where they name no place to send traces to: then
 * nothing of OpenTelemetry is loaded, and no request pays for it.
 * @param service `service.name` of its spans, where `OTEL_SERVICE_NAME` names no other
 */
export async function openTracing(
  service: string,
  settings: TracingSettings,
  log: Logger,
): Promise<Tracing | undefined> {
  const url = settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? settings.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (url === undefined || settings.OTEL_SDK_DISABLED === "true") return undefined;
  const { diag, DiagLogLevel, ROOT_CONTEXT, SpanKind: kinds, trace } = await import("@opentelemetry/api");
  const { openProvider } = await import("./provider.ts");
  // What the exporter could not send is said there, and nowhere else.
  const warn = (message: string, ...details: unknown[]): void => log.warn({ details }, `traces: ${message}`);
  const quiet = (): void => {};
  diag.setLogger({ error: warn, warn, info: quiet, debug: quiet, verbose: quiet }, DiagLogLevel.WARN);
  const provider = openProvider(service, settings);
  const tracer: Tracer = provider.getTracer("unified-ai-gateway", "1.0.0");
  return {
    start(name, { kind, parent, attributes }) {
      const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
      return tracer.startSpan(name, { kind: kinds[kind], attributes }, context);
    },
    async [Symbol.asyncDispose]() {
      const sent = provider.shutdown().catch((error: unknown) => warn("the last were lost", error));
      await Promise.race([sent, sleep(maxShutdownMs, undefined, { ref: false })]);
    },
  };
}
