import { type Priced, price, unpricedUnits } from "@uag/catalog/price";
import { type Charged, chargeOf } from "@uag/catalog/provisional";
import type { Model, Upstream } from "@uag/catalog/types";
import { type FailedAttempt, Outcome, Pricing, type Unit } from "@uag/proto/metering/v1/usage.ts";
import type { FailedCall } from "@uag/providers/attempt";
import { detailsOf, type UpstreamFailure } from "@uag/providers/failure";
import { noChoice, type RoutingReasons } from "@uag/providers/routing-reason";
import { crashPoint } from "@uag/runtime/crash-point";
import type { Admitted, Settlement } from "@uag/usage/types";
import type { CapabilityEvents } from "./events.ts";
import type { OperationExchange } from "./operation/operation-exchange.ts";
import type { Replaced } from "./operation/replaced.ts";
import { settlementRule } from "./settlement-rule.ts";
import { namedUnits } from "./unit-names.ts";

const nothing = new Uint8Array();
const free = { pricing: Pricing.EXACT, costNanoUsd: 0n };
/** Kept per request: no more than a person would read. */
const maxFailedAttempts = 16;

/** Which upstream responded, after how many attempts; undefined upstream: none was reached. */
export interface AttemptResult {
  readonly upstream: Upstream | undefined;
  /** The upstream's id of the call that succeeded, where it reports one. */
  readonly upstreamRequestId?: string | undefined;
  readonly attempts: number;
  /** The HTTP status sent to the client. */
  readonly status: number;
  /** The error code sent to the client, if any; in a stream also after its status. */
  readonly errorCode?: string | undefined;
}

/** What a request used. */
export interface UsageCharge {
  /** In the catalogue's units, none containing another. */
  readonly units: Unit[];
  /** The upstream's usage object verbatim (JSON); undefined when it sent none. */
  readonly raw?: Uint8Array | undefined;
  /** Some or all units are our own estimate, not the upstream's count. */
  readonly estimated?: boolean;
  /**
   * The estimated units that nothing received can contain are at the request's upper bound, as the
   * hold is.
   */
  readonly isUpperBound?: boolean;
}

/** What a request used, and how it ended. */
export interface Charge extends UsageCharge {
  readonly outcome: Outcome;
}

/** What a usage event and a checkpoint record when another model than the requested one serves a request. */
export const servedInstead = ({ id, price: { version } }: Model, { model, reason }: Replaced) => ({
  model: id,
  priceVersion: version,
  requestedModel: model,
  fallbackReason: reason,
});

/** What the operator pays for usage, where the catalogue has a cost of its own for the upstream; nano-USD. */
const upstreamCost = (units: readonly Unit[], upstream: Upstream | undefined): bigint | undefined =>
  upstream?.cost?.own && price(units, upstream.cost.price).costNanoUsd;

/** The request that is billed, and where its attempts are counted. */
export interface BillOptions {
  readonly exchange: OperationExchange;
  readonly admitted: Admitted;
  /** The upper bound of the cost that was admitted, nano-USD. */
  readonly holdNanoUsd: bigint;
  readonly model: Model;
  /** A stream is charged for what it has delivered, even if its bill cannot be written at first. */
  readonly streamed: boolean;
  readonly events: CapabilityEvents;
}

/** The model whose price a request is billed at. */
export interface ServedBy extends Pick<BillOptions, "model" | "holdNanoUsd"> {
  /** The requested model, if another one serves the request. */
  readonly replaced: Replaced | undefined;
}

/** The bill of one admitted request: written exactly once, whatever happens. */
export class Bill {
  readonly #options: BillOptions;
  #servedBy: ServedBy;
  readonly #admittedAt = performance.now();
  readonly #failedAttempts: FailedAttempt[] = [];
  /** Why each upstream was called, the last time. */
  readonly #reasons = new Map<Upstream, RoutingReasons>();
  #firstByteMs: number | undefined;
  #settled: Promise<bigint> | undefined;

  constructor(options: BillOptions) {
    this.#options = options;
    this.#servedBy = { model: options.model, holdNanoUsd: options.holdNanoUsd, replaced: undefined };
  }

  /** Another model is called from now on: the request is billed at its price. */
  servedBy(servedBy: ServedBy): void {
    this.#servedBy = servedBy;
  }

  /** Records why an upstream is called. */
  attemptBegan(upstream: Upstream, reasons: RoutingReasons): void {
    if (reasons !== noChoice) this.#reasons.set(upstream, reasons);
  }

  /** Why an upstream was called, the last time. */
  reasonsFor(upstream: Upstream | undefined): RoutingReasons {
    return (upstream && this.#reasons.get(upstream)) ?? noChoice;
  }

  /** Records a failed call; another may follow. */
  attemptFailed(upstream: Upstream, failure: UpstreamFailure, { durationMs, reasons }: FailedCall): void {
    this.#addFailure(upstream, failure, { durationMs: Math.round(durationMs), reasons, midStream: false });
  }

  /** Records that a call failed after the client had received a part of its response. */
  streamFailed(upstream: Upstream, failure: UpstreamFailure): void {
    const last = this.#failedAttempts.at(-1);
    const startedMs = last === undefined ? 0 : last.afterMs + last.durationMs;
    const durationMs = Math.max(0, this.#elapsedMs() - startedMs);
    this.#addFailure(upstream, failure, { durationMs, reasons: this.reasonsFor(upstream), midStream: true });
  }

  #addFailure(
    upstream: Upstream,
    failure: UpstreamFailure,
    { durationMs, reasons, midStream }: FailedCall & Pick<FailedAttempt, "midStream">,
  ): void {
    if (this.#failedAttempts.length >= maxFailedAttempts) return;
    const afterMs = Math.max(0, this.#elapsedMs() - durationMs);
    const { name, credential } = upstream.provider;
    const called = { upstream: name, upstreamModel: upstream.model, credential: credential.name, afterMs, durationMs };
    const chosen = { upstreamReason: reasons.upstream, credentialReason: reasons.credential };
    this.#failedAttempts.push({ ...called, ...chosen, ...detailsOf(failure, upstream.provider), midStream });
  }

  /** Records that the first bytes of a stream are being sent. */
  firstByteSent(): void {
    this.#firstByteMs ??= this.#elapsedMs();
  }

  #elapsedMs(): number {
    return Math.round(performance.now() - this.#admittedAt);
  }

  /** Bills nothing, as nothing was delivered. Resolves when the bill is on disk. */
  fail(result: AttemptResult): Promise<bigint> {
    return this.#settle(
      { outcome: Outcome.FAILED, units: [] },
      { ...free, reported: free, provisional: undefined },
      result,
    );
  }

  /**
   * Charges what was used, at the model's price; provisionally where that is not known: see
   * {@link chargeOf}.
   * @returns the cost in nano-USD, once the bill is on disk; rejects when the disk keeps refusing
   * it
   */
  charge(charge: Charge, result: AttemptResult): Promise<bigint> {
    const named = { ...charge, units: namedUnits(charge.units) };
    const { model, holdNanoUsd } = this.#servedBy;
    const reported = price(named.units, model.price);
    const charged = chargeOf(reported, holdNanoUsd);
    const estimated = charge.estimated === true && charged.pricing === Pricing.EXACT;
    const sum = { ...charged, reported, pricing: estimated ? Pricing.ESTIMATED : charged.pricing };
    return this.#settle(named, sum, result);
  }

  #settle(
    { outcome, units, raw, estimated = false, isUpperBound = false }: Charge,
    { provisional, reported, ...sum }: Charged & { readonly reported: Priced },
    { upstream, upstreamRequestId, attempts, status, errorCode }: AttemptResult,
  ): Promise<bigint> {
    if (this.#settled !== undefined) return this.#settled;
    const { events, exchange } = this.#options;
    const { holdNanoUsd, model, replaced } = this.#servedBy;
    const reasons = this.reasonsFor(upstream);
    const settlement: Settlement = {
      ...sum,
      outcome,
      settlementRule: settlementRule(outcome, { estimated, isUpperBound, free: units.length === 0, provisional }),
      units,
      upstream: upstream?.provider.name ?? "",
      ...(upstreamRequestId !== undefined && { upstreamRequestId }),
      upstreamModel: upstream?.model ?? "",
      upstreamCredential: upstream?.provider.credential.name || undefined,
      upstreamCredentialId: upstream?.provider.credential.id || undefined,
      // A provisional charge is not what the units cost.
      upstreamCostNanoUsd: provisional === undefined ? upstreamCost(units, upstream) : undefined,
      upstreamReason: reasons.upstream,
      credentialReason: reasons.credential,
      rawUsage: raw ?? nothing,
      attempts,
      status,
      errorCode,
      firstByteMs: this.#firstByteMs,
      failedAttempts: this.#failedAttempts,
      ...(replaced !== undefined && servedInstead(model, replaced)),
    };
    crashPoint("usage-known");
    const unpriced = unpricedUnits(units, model.price);
    const { requestId } = exchange;
    const request = { requestId, model: model.id, holdNanoUsd, reportedNanoUsd: reported.costNanoUsd, unpriced };
    events.settled(request, settlement);
    this.#settled = this.#write(settlement);
    return this.#settled;
  }

  async #write(settlement: Settlement): Promise<bigint> {
    const { admitted, exchange, streamed } = this.#options;
    exchange.onBilled?.(settlement);
    try {
      await admitted.settle(settlement);
    } catch (error) {
      // The disk refuses the bill: a non-streamed response is neither sent nor charged.
      if (!streamed) exchange.onBilled?.(free);
      throw error;
    }
    return settlement.costNanoUsd;
  }
}
