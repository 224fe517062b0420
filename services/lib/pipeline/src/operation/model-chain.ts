import type { Model, Upstream } from "@uag/catalog/types";
import { AttemptsFailed } from "@uag/providers/attempt";
import type { RoutingReason } from "@uag/providers/routing-reason";
import type { ResponseMemory } from "@uag/untrusted/response-memory";
import type { Bill } from "../bill.ts";
import type { Grant } from "./admit.ts";
import { type AttemptContext, attemptsOf } from "./attempts.ts";
import { callSpend } from "./call-spend.ts";
import type { Candidate } from "./fallbacks.ts";
import type { AdmittedRequest, OperationSpec, Size } from "./operation-spec.ts";
import type { Replaced } from "./replaced.ts";
import type { CheckedRequest } from "./request-spec.ts";
import type { RequestTrace } from "./trace.ts";

interface ChainOptions<R, S extends Size, A> {
  readonly context: AttemptContext;
  readonly spec: Pick<OperationSpec<never, R, S, A>, "affinity" | "call" | "size">;
  readonly checked: CheckedRequest<R>;
  readonly grant: Grant<R, S>;
  readonly memory: ResponseMemory;
  readonly bill: Bill;
  readonly trace: RequestTrace | undefined;
}

/**
 * Calls the requested model, and then its fallbacks, until one responds. A model whose upstreams are
 * all cooling down is called after the others. The next model is called only after failures that no
 * provider charges for.
 */
export class ModelChain<R, S extends Size, A> {
  readonly #options: ChainOptions<R, S, A>;
  readonly #own: Candidate<R, S>;
  #serving: AdmittedRequest<R, S>;
  /** Upstream calls so far. */
  #attempts = 0;

  constructor(options: ChainOptions<R, S, A>) {
    const { checked, grant } = options;
    this.#options = options;
    this.#own = { model: checked.model, request: checked.request, size: grant.size };
    this.#serving = this.#admittedFor(this.#own, undefined);
  }

  /** The request for the model that was called last, or that is to be called. */
  get serving(): AdmittedRequest<R, S> {
    return this.#serving;
  }

  /**
   * Resolves with the first response.
   * @throws {AttemptsFailed} of the requested model when none responds, or of another one if that
   * charges for its failure; whatever else a call throws
   */
  async call(): Promise<A> {
    const { spec, checked } = this.#options;
    let failed: AttemptsFailed | undefined;
    for (const candidate of this.#ordered()) {
      const isOwn = candidate === this.#own;
      if (!isOwn) this.#serve(candidate, { model: this.#own.model.id, reason: failed?.failure.kind ?? "cooldown" });
      else if (this.#attempts > 0) this.#serve(candidate, undefined);
      try {
        return await spec.call(this.#serving);
      } catch (thrown) {
        if (checked.exchange.signal.aborted || !mayCallNext(thrown, isOwn)) throw thrown;
        this.#attempts = thrown.attempts;
        if (isOwn) failed = thrown;
      }
    }
    if (failed === undefined) throw new Error("a model chain without the requested model was called");
    this.#serve(this.#own, undefined);
    throw new AttemptsFailed(failed.failure, failed.upstream, this.#attempts);
  }

  /** The candidates, those that are cooling down last. */
  #ordered(): readonly Candidate<R, S>[] {
    const { fallbacks } = this.#options.grant;
    if (fallbacks.length === 0) return [this.#own];
    const all = [this.#own, ...fallbacks];
    const [ready, cooling] = [false, true].map((wanted) =>
      all.filter(({ model }) => this.#isCoolingDown(model) === wanted),
    );
    return [...(ready ?? []), ...(cooling ?? [])];
  }

  #isCoolingDown({ upstreams }: Model): boolean {
    const { health } = this.#options.context;
    return upstreams.every((upstream) => health.avoidedUntil(upstream) > 0);
  }

  #serve(candidate: Candidate<R, S>, replaced: Replaced | undefined): void {
    const { model, size } = candidate;
    this.#serving = this.#admittedFor(candidate, replaced);
    this.#options.bill.servedBy({ model, holdNanoUsd: size.holdNanoUsd, replaced });
  }

  #admittedFor(candidate: Candidate<R, S>, replaced: Replaced | undefined): AdmittedRequest<R, S> {
    const { context, spec, checked, grant, memory, bill, trace } = this.#options;
    const request = { ...checked, ...candidate };
    const attempt = attemptsOf(context, request, {
      called: bill.attemptBegan.bind(bill),
      failed: bill.attemptFailed.bind(bill),
      tokens: candidate.size.tokens,
      affinity: hasChoice(candidate.model) ? spec.affinity?.(request) : undefined,
      because: this.#reasonFor(replaced),
      spend: callSpend(grant.admitted, candidate.model, (upstream) => this.#mostAt(upstream, candidate)),
      attemptsBefore: this.#attempts,
      ...(trace !== undefined && { around: trace.call }),
    });
    return { ...request, admitted: grant.admitted, memory, attempt, replaced };
  }

  /** The most that a request can cost the operator at an upstream, nano-USD. */
  #mostAt({ cost }: Upstream, { model, request, size }: Candidate<R, S>): bigint {
    if (cost?.own === undefined) return size.holdNanoUsd;
    const { spec, checked } = this.#options;
    const priced = { ...model, price: cost.price };
    return spec.size({ ...checked, request, model: priced, fallbacks: [] }).holdNanoUsd;
  }

  /** The requested model is called after its fallbacks while all its upstreams are avoided. */
  #reasonFor(replaced: Replaced | undefined): RoutingReason | undefined {
    if (replaced !== undefined) return "fallback";
    return this.#attempts === 0 ? undefined : "last_resort";
  }
}

/** Whether several upstreams or credentials serve the model. */
const hasChoice = ({ upstreams }: Model): boolean => upstreams.length > 1 || upstreams[0]?.pool !== undefined;

/**
 * Whether another model may be called after a failure: not if the provider charges for the call, as
 * the client would pay twice. A request that a fallback cannot express, or refuses, may still suit
 * the next one.
 */
function mayCallNext(thrown: unknown, isOwn: boolean): thrown is AttemptsFailed {
  if (!(thrown instanceof AttemptsFailed)) return false;
  const { kind, usage, received, workedMs } = thrown.failure;
  if (usage !== undefined || received !== undefined || workedMs !== undefined) return false;
  return kind !== "cancelled" && (kind !== "client" || !isOwn);
}
