import type { Upstream } from "@uag/catalog/types";
import { UpstreamFailure } from "@uag/providers/failure";
import { callerSpanOf, isSampled, traceparentOf, withTraceparent } from "@uag/runtime/tracing/traceparent";
import type { Tracing } from "@uag/runtime/tracing/tracing";
import { usdText } from "@uag/runtime/usd";
import type { AdmitRequest, Settlement } from "@uag/usage/types";
import type { CapabilityContext } from "../context.ts";
import type { CapabilityEvents } from "../events.ts";
import type { CheckedRequest } from "./request-spec.ts";

/** Names in the GenAI conventions for our operations; others keep their own. */
const conventional: Readonly<Record<string, string>> = {
  "chat.completions": "chat",
  messages: "chat",
  responses: "chat",
  embeddings: "embeddings",
  "images.generations": "generate_content",
  "images.edits": "generate_content",
};

/** https://opentelemetry.io/docs/specs/semconv/registry/attributes/error/#error-type */
const otherError = "_OTHER";
const failed = { code: 2 } as const;

/**
 * The spans of one request in a capability service: its own, following the conventions for
 * generative AI, and one for each provider call. They record numbers and names, never content.
 */
export interface RequestTrace {
  /** Runs the request's work and then ends its span. */
  around(work: () => Promise<void>): Promise<void>;
  /** Wraps the events so that the span also records usage. */
  observing(events: CapabilityEvents): CapabilityEvents;
  /** Calls a provider within a span. */
  call<T>(upstream: Upstream, work: () => Promise<T>): Promise<T>;
}

/**
 * What a usage event records of the request's trace: the span only where metering's span is to be
 * its child.
 */
export function traceOf(
  { tracing }: Pick<CapabilityContext, "tracing">,
  headers: readonly string[],
): Pick<AdmitRequest, "traceId" | "spanId"> {
  const span = callerSpanOf(headers);
  return { traceId: span?.traceId, spanId: tracing !== undefined && isSampled(span) ? span.spanId : undefined };
}

/** Starts the span of a request that has passed all checks. */
export function openTrace<R>(
  tracing: Tracing,
  operation: string,
  { exchange, model }: Pick<CheckedRequest<R>, "exchange" | "model">,
): RequestTrace {
  const name = conventional[operation] ?? operation;
  const span = tracing.start(`${name} ${model.id}`, {
    kind: "CLIENT",
    parent: callerSpanOf(exchange.headers),
    attributes: {
      "gen_ai.operation.name": name,
      "gen_ai.request.model": model.id,
      "gateway.request_id": exchange.requestId,
    },
  });
  return {
    around: (work) => work().finally(() => span.end()),
    observing: (events) => ({
      ...events,
      settled(request, settlement) {
        span.setAttributes(attributesOf(settlement));
        if (settlement.status >= 400) span.setStatus(failed);
        events.settled(request, settlement);
      },
    }),
    async call(upstream, work) {
      const { name: provider, origin } = upstream.provider;
      const attempt = tracing.start(`${name} ${upstream.model}`, {
        kind: "CLIENT",
        parent: span.spanContext(),
        attributes: {
          "gen_ai.operation.name": name,
          "gen_ai.provider.name": provider,
          "gen_ai.request.model": upstream.model,
          "server.address": new URL(origin).hostname,
        },
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
    },
  };
}

const tokenUnits: Readonly<Record<string, string>> = {
  input_tokens: "gen_ai.usage.input_tokens",
  output_tokens: "gen_ai.usage.output_tokens",
};

function attributesOf({ upstream, upstreamModel, units, costNanoUsd, attempts, outcome, firstByteMs }: Settlement) {
  const used = units.map(({ name, quantity }) => [tokenUnits[name] ?? `gateway.usage.${name}`, Number(quantity)]);
  return {
    ...(upstream !== "" && { "gen_ai.provider.name": upstream, "gen_ai.response.model": upstreamModel }),
    ...Object.fromEntries(used),
    "gateway.cost_usd": usdText(costNanoUsd),
    "gateway.attempts": attempts,
    "gateway.outcome": outcome,
    ...(firstByteMs !== undefined && { "gateway.first_byte_ms": firstByteMs }),
  };
}
