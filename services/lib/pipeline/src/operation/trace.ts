import type { Upstream } from "@uag/catalog/types";
import { UpstreamFailure } from "@uag/providers/failure";
import { callerSpanOf, isSampled, traceparentOf, withTraceparent } from "@uag/runtime/tracing/traceparent";
import type { Tracing } from "@uag/runtime/tracing/tracing";
import { usdText } from "@uag/runtime/usd";
import type { AdmitRequest, Settlement } from "@uag/usage/types";
import type { CapabilityContext } from "../context.ts";
import type { CapabilityEvents } from "../events.ts";
import { answeredBy, operationName, providerName, tokensOf, usageAttributes } from "./gen-ai.ts";
import type { CheckedRequest } from "./request-spec.ts";

/** https://opentelemetry.io/docs/specs/semconv/registry/attributes/error/#error-type */
const otherError = "_OTHER";
const failed = { code: 2 } as const;

/**
 * The telemetry of one request in a capability service: one span of the inference, by the conventions
 * for generative AI, with a span of HTTP for each provider call below it, and the metrics of the same
 * conventions. It has numbers and names, never content.
 */
export interface RequestTrace {
  /** Runs the request's work and then ends its span. */
  around(work: () => Promise<void>): Promise<void>;
  /** Wraps the events so that the span also records usage. */
  observing(events: CapabilityEvents): CapabilityEvents;
  /** Calls a provider within a span. */
  call<T>(upstream: Upstream, work: () => Promise<T>): Promise<T>;
}

/** Longest id that is kept of a client's own, characters. */
const maxClientId = 128;

/** The client's own id of the request: the router forwards its `x-request-id` under this name. */
function clientRequestIdOf(headers: readonly string[]): string | undefined {
  const at = headers.findIndex((name, index) => index % 2 === 0 && name === "x-client-request-id");
  const id = at < 0 ? "" : (headers[at + 1] ?? "").slice(0, maxClientId);
  return id === "" ? undefined : id;
}

/**
 * What a usage event records of the request's origin: the client's own id and the trace, of which
 * the span only where metering's span is to be its child.
 */
export function traceOf(
  { tracing }: Pick<CapabilityContext, "tracing">,
  headers: readonly string[],
): Pick<AdmitRequest, "clientRequestId" | "traceId" | "spanId"> {
  const span = callerSpanOf(headers);
  const clientRequestId = clientRequestIdOf(headers);
  return {
    clientRequestId,
    traceId: span?.traceId,
    spanId: tracing !== undefined && isSampled(span) ? span.spanId : undefined,
  };
}

/** Starts the span of a request that has passed all checks. */
export function openTrace<R>(
  { tracing, inferenceMetrics }: Pick<CapabilityContext, "tracing" | "inferenceMetrics">,
  operation: string,
  { exchange, model, catalogVersion }: Pick<CheckedRequest<R>, "exchange" | "model" | "catalogVersion">,
): RequestTrace {
  const asked = { "gen_ai.operation.name": operationName(operation), "gen_ai.request.model": model.id };
  const startedAt = performance.now();
  const span = tracing?.start(`${asked["gen_ai.operation.name"]} ${model.id}`, {
    kind: "CLIENT",
    parent: callerSpanOf(exchange.headers),
    attributes: { ...asked, "gateway.request_id": exchange.requestId, "gateway.catalog_version": catalogVersion },
  });
  const settled = (settlement: Settlement): void => {
    const { status, errorCode = otherError } = settlement;
    const failure = status >= 400 ? { "error.type": errorCode } : {};
    span?.setAttributes({ ...attributesOf(settlement), ...failure });
    if (status >= 400) span?.setStatus(failed);
    if (inferenceMetrics === undefined) return;
    const labels = { ...asked, ...answeredBy(settlement) };
    inferenceMetrics.duration((performance.now() - startedAt) / 1_000, { ...labels, ...failure });
    const tokens = tokensOf(settlement.units);
    for (const type of tokens === undefined ? [] : (["input", "output"] as const))
      inferenceMetrics.tokens(tokens?.[type] ?? 0, type, labels);
  };
  return {
    around: (work) => work().finally(() => span?.end()),
    observing: (events) => ({
      ...events,
      settled(request, settlement) {
        settled(settlement);
        events.settled(request, settlement);
      },
    }),
    call: (upstream, work) =>
      tracing === undefined || span === undefined ? work() : callIn(tracing, span, upstream, work),
  };
}

/** Calls a provider within a span of HTTP; the inference's span names the provider that was called last. */
async function callIn<T>(
  tracing: Tracing,
  inference: ReturnType<Tracing["start"]>,
  { provider }: Upstream,
  work: () => Promise<T>,
): Promise<T> {
  const { hostname, port, protocol } = new URL(provider.origin);
  const server = { "server.address": hostname, "server.port": Number(port || defaultPorts[protocol]) };
  inference.setAttributes({ "gen_ai.provider.name": providerName(provider.name), ...server });
  const attempt = tracing.start("POST", {
    kind: "CLIENT",
    parent: inference.spanContext(),
    attributes: { "http.request.method": "POST", ...server },
  });
  try {
    return await withTraceparent(traceparentOf(attempt.spanContext()), work);
  } catch (error) {
    const known = error instanceof UpstreamFailure ? error : undefined;
    attempt.setStatus(failed).setAttribute("error.type", known?.kind ?? otherError);
    if (known !== undefined && known.status > 0) attempt.setAttribute("http.response.status_code", known.status);
    throw error;
  } finally {
    attempt.end();
  }
}

const defaultPorts: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

function attributesOf(settlement: Settlement) {
  const { units, costNanoUsd, attempts, outcome, firstByteMs } = settlement;
  return {
    ...answeredBy(settlement),
    ...usageAttributes(units),
    "gen_ai.request.stream": firstByteMs !== undefined,
    ...(firstByteMs !== undefined && { "gen_ai.response.time_to_first_chunk": firstByteMs / 1_000 }),
    "gateway.cost_usd": usdText(costNanoUsd),
    "gateway.attempts": attempts,
    "gateway.outcome": outcome,
  };
}
