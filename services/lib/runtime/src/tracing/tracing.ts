import { setTimeout as sleep } from "node:timers/promises";
import type { Attributes, Span, SpanContext, SpanKind, Tracer } from "@opentelemetry/api";
import type { Logger } from "../log.ts";
import type { TracingSettings } from "./settings.ts";

/** A stopping process does not wait longer for an unreachable collector. */
const maxShutdownMs = 2_000;

/** The initial state of a span. */
export interface SpanStart {
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
  const { diag, DiagLogLevel, ROOT_CONTEXT, SpanKind: kinds, trace } = await import("@opentelemetry/api");
  const { openProvider } = await import("./provider.ts");
  // Export failures are reported here and nowhere else.
  const warn = (message: string, ...details: unknown[]): void => log.warn({ details }, `traces: ${message}`);
  const quiet = (): void => {};
  diag.setLogger({ error: warn, warn, info: quiet, debug: quiet, verbose: quiet }, DiagLogLevel.WARN);
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
      const sent = provider.shutdown().catch((error: unknown) => warn("the last were lost", error));
      await Promise.race([sent, sleep(maxShutdownMs, undefined, { ref: false })]);
    },
  };
}
