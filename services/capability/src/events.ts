import type { Settlement } from "@uag/admission/types.ts";
import type { Upstream } from "@uag/catalog/types.ts";
import type { Logger } from "@uag/kit/log.ts";
import type { Metrics } from "@uag/kit/metrics.ts";
import { Outcome, Pricing } from "@uag/proto/metering/v1/usage.ts";
import { failureForLog, type UpstreamFailure } from "@uag/upstreams/failure.ts";

/** Observable events around an upstream call: each is logged and counted here and nowhere else. */
export interface CapabilityEvents {
  settled(request: { requestId: string; model: string }, settlement: Settlement): void;
  upstreamFailed(requestId: string, upstream: Upstream, failure: UpstreamFailure): void;
  /**
   * A request was refused because the catalogue has no price for it: an operator should fix the
   * catalogue.
   */
  refusedUnpriced(requestId: string, error: unknown): void;
  /** An internal fault. */
  failed(requestId: string, error: unknown): void;
}

const outcomeNames: Record<Outcome, string> = {
  [Outcome.UNSPECIFIED]: "unspecified",
  [Outcome.COMPLETED]: "completed",
  [Outcome.DISCONNECTED]: "disconnected",
  [Outcome.FAILED]: "failed",
  [Outcome.CRASHED]: "crashed",
};

/**
 * Creates the service's events: each writes a log line, and increments its metric if it has one.
 */
export function createEvents(service: string, log: Logger, metrics: Metrics): CapabilityEvents {
  const settled = metrics.counter(`${service}_requests_total`, "Admitted requests by how they ended.", ["outcome"]);
  const byOutcome = new Map(
    Object.entries(outcomeNames).map(([key, outcome]) => [Number(key), settled.labels(outcome)]),
  );
  const estimated = metrics.counter(`${service}_estimated_total`, "Requests billed by an estimate.");
  const unpriced = metrics.counter(
    `${service}_unpriced_total`,
    "Requests that could not be priced: charged 0 until repaired.",
  );
  const refusedUnpriced = metrics.counter(
    `${service}_refused_unpriced_total`,
    "Requests refused because the catalogue has no price for them.",
  );
  const retries = metrics.counter(
    `${service}_upstream_retries_total`,
    "Calls to upstreams beyond the first of a request.",
  );
  const failures = metrics.counter(`${service}_upstream_failures_total`, "Failed calls to upstreams.", [
    "provider",
    "kind",
  ]);
  return {
    settled(request, settlement) {
      byOutcome.get(settlement.outcome)?.inc();
      if (settlement.attempts > 1) retries.inc(settlement.attempts - 1);
      if (settlement.pricing === Pricing.ESTIMATED) estimated.inc();
      if (settlement.pricing !== Pricing.UNPRICED) return;
      unpriced.inc();
      const units = Object.fromEntries(settlement.units.map(({ name, quantity }) => [name, String(quantity)]));
      log.error({ request_id: request.requestId, model: request.model, units }, "request cannot be priced");
    },
    upstreamFailed(requestId, upstream, failure) {
      const provider = upstream.provider.name;
      failures.labels(provider, failure.kind).inc();
      if (failure.kind === "cancelled" || failure.kind === "client") return;
      log.warn(
        { request_id: requestId, provider, model: upstream.model, ...failureForLog(failure) },
        "upstream failed",
      );
    },
    refusedUnpriced(requestId, error) {
      refusedUnpriced.inc();
      log.error({ request_id: requestId, err: error }, "request refused: the catalogue has no price for it");
    },
    failed: (requestId, error) => log.error({ request_id: requestId, err: error }, "request failed"),
  };
}
