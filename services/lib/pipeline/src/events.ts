import type { Upstream } from "@uag/catalog/types";
import { unitOf } from "@uag/catalog/units";
import type { LinkExchange } from "@uag/link/server-exchange";
import { Outcome, Pricing } from "@uag/proto/metering/v1/usage.ts";
import type { CircuitState } from "@uag/providers/circuit";
import { failureForLog, type UpstreamFailure } from "@uag/providers/failure";
import type { Logger } from "@uag/runtime/log";
import type { Metrics } from "@uag/runtime/metrics";
import type { Refusal } from "@uag/runtime/refusals";
import { logServerError } from "@uag/runtime/server-error";
import type { Settlement } from "@uag/usage/types";
import type { AboveHold } from "./above-hold.ts";
import { callerOf } from "./caller.ts";
import type { ClientError } from "./client-error.ts";

/** A request whose bill is known, and what its usage was compared with. */
interface SettledRequest {
  readonly requestId: string;
  /** Id of the model. */
  readonly model: string;
  /** The upper bound of the cost that was admitted, nano-USD. */
  readonly holdNanoUsd: bigint;
  /** What the reported units that have a price cost, nano-USD. */
  readonly reportedNanoUsd: bigint;
  /** Names of reported units without a price. */
  readonly unpriced: readonly string[];
}

/** A request that was not admitted. */
interface RefusedRequest {
  readonly exchange: Pick<LinkExchange, "context" | "operation" | "requestId">;
  /** Id of the model; undefined when it was refused before that was known. */
  readonly model?: string | undefined;
}

/** Observable events around an upstream call: each is logged and counted here and nowhere else. */
export interface CapabilityEvents {
  settled(request: SettledRequest, settlement: Settlement): void;
  /** An upstream's response has begun. */
  upstreamResponded(upstream: Upstream): void;
  /** An upstream's circuit opened, or closed. */
  circuitChanged(upstream: Upstream, state: CircuitState): void;
  upstreamFailed(requestId: string, upstream: Upstream, failure: UpstreamFailure): void;
  /** A request got an error response. One with a status of 500 or more is logged with its cause. */
  refused(error: ClientError): void;
  /** A request got an error response and was not admitted, so it has no usage event. */
  notAdmitted(error: ClientError, request: RefusedRequest): void;
  /** An internal fault beside a response, or in the middle of one. */
  failed(requestId: string, error: unknown): void;
}

const outcomeNames: Record<Outcome, string> = {
  [Outcome.UNSPECIFIED]: "unspecified",
  [Outcome.COMPLETED]: "completed",
  [Outcome.DISCONNECTED]: "disconnected",
  [Outcome.FAILED]: "failed",
  [Outcome.CRASHED]: "crashed",
};

/** An upstream's failure as the cause of a response, which has a code and a status of its own. */
function causeOf(failure: UpstreamFailure): Readonly<Record<string, unknown>> {
  const { code: upstreamCode, status: upstreamStatus, ...rest } = failureForLog(failure);
  return { upstream_code: upstreamCode, upstream_status: upstreamStatus, ...rest };
}

/** Counts what requests used and cost, and how soon their streams began. */
function measureUse(metrics: Metrics): (settlement: Settlement) => void {
  const units = metrics.counter("uag_usage_units_total");
  const cost = metrics.counter("uag_cost_nano_usd_total");
  const firstByte = metrics.seconds("uag_first_byte_seconds");
  return (settlement) => {
    cost.inc(Number(settlement.costNanoUsd));
    if (settlement.firstByteMs !== undefined) firstByte.observe(settlement.firstByteMs / 1_000);
    for (const { name, quantity } of settlement.units) {
      const unit = unitOf(name);
      if (unit !== undefined) units.labels(unit).inc(Number(quantity));
    }
  };
}

/** Counters of providers that the metric names; more are counted as `other`. */
const maxCounterNames = 64;

/** Reports bills that a person must look at: units without a price, and costs above their holds. */
function alarmAboutBills(
  log: Logger,
  metrics: Metrics,
  aboveHold: AboveHold,
): (request: SettledRequest, settlement: Settlement) => void {
  const unpriced = metrics.counter("uag_unpriced_requests_total");
  const unpricedUnits = metrics.counter("uag_unpriced_units_total");
  const countedAboveHold = metrics.counter("uag_cost_above_hold_total");
  const names = new Set<string>();
  const counterOf = (name: string): string => {
    if (names.size < maxCounterNames) names.add(name);
    return names.has(name) ? name : "other";
  };
  return (request, { pricing, units, upstream: provider, costNanoUsd }) => {
    const { requestId, model, holdNanoUsd, reportedNanoUsd } = request;
    const amounts = {
      hold_nano_usd: String(holdNanoUsd),
      reported_nano_usd: String(reportedNanoUsd),
      charged_nano_usd: String(costNanoUsd),
    };
    const used = Object.fromEntries(units.map(({ name, quantity }) => [name, String(quantity)]));
    const fields = { request_id: requestId, provider, model, units: used, ...amounts };
    if (reportedNanoUsd > holdNanoUsd) {
      countedAboveHold.labels(provider, model).inc();
      aboveHold.record({ provider, model, holdNanoUsd, reportedNanoUsd });
      log.error(fields, "request cost exceeds its hold");
    }
    for (const name of request.unpriced) unpricedUnits.labels(provider, model, counterOf(name)).inc();
    if (pricing !== Pricing.UNPRICED) return;
    unpriced.inc();
    log.error({ ...fields, unpriced: request.unpriced }, "request has units without a price");
  };
}

/**
 * Creates the service's events: each writes a log line, and increments its metric if it has one.
 */
export function createEvents(
  log: Logger,
  metrics: Metrics,
  aboveHold: AboveHold,
  countRefusal: (refusal: Refusal) => void = () => {},
): CapabilityEvents {
  const settled = metrics.counter("uag_settlements_total");
  const byOutcome = new Map(
    Object.entries(outcomeNames).map(([key, outcome]) => [Number(key), settled.labels(outcome)]),
  );
  const used = measureUse(metrics);
  const responses = metrics.counter("uag_upstream_responses_total");
  const estimated = metrics.counter("uag_estimated_requests_total");
  const alarmed = alarmAboutBills(log, metrics, aboveHold);
  const refusedUnpriced = metrics.counter("uag_refused_unpriced_requests_total");
  const retries = metrics.counter("uag_upstream_retries_total");
  const failures = metrics.counter("uag_upstream_failures_total");
  const circuits = metrics.counter("uag_circuit_changes_total");
  const fallbacks = metrics.counter("uag_fallbacks_total");
  return {
    settled(request, settlement) {
      byOutcome.get(settlement.outcome)?.inc();
      used(settlement);
      if (settlement.attempts > 1) retries.inc(settlement.attempts - 1);
      if (settlement.fallbackReason !== undefined) fallbacks.labels(settlement.fallbackReason).inc();
      if (settlement.pricing === Pricing.ESTIMATED) estimated.inc();
      alarmed(request, settlement);
    },
    upstreamResponded: ({ provider }) => responses.labels(provider.name).inc(),
    circuitChanged({ provider: { name: provider }, model }, state) {
      circuits.labels(provider, state).inc();
      if (state === "open") log.warn({ provider, model }, "circuit opened: the upstream is only a last resort");
      else log.info({ provider, model }, "circuit closed");
    },
    upstreamFailed(requestId, upstream, failure) {
      const provider = upstream.provider.name;
      failures.labels(provider, failure.kind).inc();
      if (failure.kind === "cancelled" || failure.kind === "client") return;
      const credential = upstream.provider.credential.name;
      const about = { request_id: requestId, provider, model: upstream.model, credential };
      const fields = { ...about, ...failureForLog(failure) };
      if (failure.kind === "operator" && failure.status !== 0)
        log.error(fields, "upstream rejected the gateway's API key or account");
      else log.warn(fields, "upstream failed");
    },
    refused({ error, failure, requestId }) {
      if (error.code === "unpriced_model") refusedUnpriced.inc();
      logServerError(log, error, { requestId, ...(failure && causeOf(failure)) });
    },
    notAdmitted({ error, failure }, { exchange, model }) {
      // What a provider reported is not a refusal of ours.
      if (failure !== undefined) return;
      const { accountId, keyId } = callerOf(exchange.context);
      const { operation, requestId } = exchange;
      countRefusal({ accountId, keyId, operation, requestId, model, error });
    },
    failed: (requestId, error) => log.error({ request_id: requestId, err: error }, "request failed"),
  };
}
