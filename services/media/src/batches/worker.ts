import { ClaimLoop } from "@uag/pipeline/claims/claim-loop";
import { ClaimRenewal } from "@uag/pipeline/claims/claim-renewal";
import type { Logger } from "@uag/runtime/log";
import { type BatchDocument, type Ending, endingOf } from "./batch.ts";
import { leaseMs } from "./batch-store.ts";
import type { BatchEvents } from "./events.ts";
import { type Claimed, nextStep, type StepContext } from "./steps.ts";

const afterFailureMs = 2_000;
/** How long a repeated slice may wait after its batch was stopped. */
const giveUpMs = 10 * 60_000;
/** The longest delay of a timer. */
const maxTimerMs = 2 ** 31 - 1;

/** What a {@link BatchWorker} works with. */
export interface WorkerOptions {
  readonly context: StepContext;
  /** Batches in progress at a time, each of another account. */
  readonly atOnce: number;
  /** How long the services store responses under an idempotency key, milliseconds. */
  readonly keptMs: number;
  readonly events: BatchEvents;
  readonly log: Logger;
}

/**
 * Runs batches: claims the one that has waited longest, does its next step, and releases it, so
 * that all get their turn. Disposing leaves the steps in progress to another worker.
 */
export class BatchWorker implements AsyncDisposable {
  readonly #options: WorkerOptions;
  readonly #stop = new AbortController();
  readonly #loop: ClaimLoop<BatchDocument>;

  constructor(options: WorkerOptions) {
    this.#options = options;
    const { context, atOnce, log } = options;
    this.#loop = new ClaimLoop({
      atOnce,
      claim: (busy) => context.batches.claim(busy),
      work: (batch) => this.#step(batch),
      failed: (err) => log.warn({ err }, "claiming a batch failed; retrying"),
    });
  }

  /** A batch may be waiting. */
  wake(): void {
    this.#loop.wake();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error("the process is stopping"));
    await this.#loop[Symbol.asyncDispose]();
  }

  async #step(batch: BatchDocument): Promise<void> {
    const { context, events, log, keptMs } = this.#options;
    using held = new Held(batch, { context, keptMs, stopping: this.#stop.signal });
    try {
      const status = await nextStep(context, held);
      if (status !== undefined) events.ended(batch, status);
    } catch (error) {
      const { signal } = held;
      if (!signal.aborted) log.warn({ err: error, batch: batch._id }, "a step of a batch failed; retrying");
      // Otherwise the claim expires on its own.
      await context.batches.release(batch, signal.aborted ? 0 : afterFailureMs).catch(() => undefined);
    }
  }
}

const responsesLost: Ending = {
  status: "failed",
  code: "idempotency_result_lost",
  message: "The request may have run and been billed before an interruption; its response is no longer stored.",
};

interface HeldOptions extends Pick<WorkerOptions, "context" | "keptMs"> {
  readonly stopping: AbortSignal;
}

/** A claim, renewed until disposed, and what it learns of its batch with each renewal. */
class Held implements Claimed, Disposable {
  readonly batch: BatchDocument;
  readonly signal: AbortSignal;
  readonly #context: StepContext;
  readonly #stop = new AbortController();
  readonly #giveUp = new AbortController();
  readonly stop = this.#stop.signal;
  readonly giveUp = this.#giveUp.signal;
  readonly #renewal: ClaimRenewal<BatchDocument>;
  #giveUpTimer: NodeJS.Timeout | undefined;
  #lostTimer: NodeJS.Timeout | undefined;

  constructor(batch: BatchDocument, { context, keptMs, stopping }: HeldOptions) {
    this.batch = batch;
    this.#context = context;
    const lost = new AbortController();
    this.signal = AbortSignal.any([stopping, lost.signal]);
    this.#observe(batch);
    if (batch.begun) this.#giveUpAt((batch.begunAt ?? batch.createdAt).getTime() + keptMs);
    this.#renewal = new ClaimRenewal({
      leaseMs,
      renew: () => context.batches.renew(batch),
      renewed: (renewed) => this.#observe(renewed),
      lost: (reason) => lost.abort(new Error(reason)),
    });
  }

  [Symbol.dispose](): void {
    this.#renewal[Symbol.dispose]();
    clearTimeout(this.#giveUpTimer);
    clearTimeout(this.#lostTimer);
  }

  /** From then on a line that was billed would be billed again. */
  #giveUpAt(ms: number): void {
    const leftMs = ms - this.#context.now();
    if (leftMs <= 0) this.#giveUp.abort(responsesLost);
    else this.#lostTimer = setTimeout(() => this.#giveUp.abort(responsesLost), Math.min(leftMs, maxTimerMs)).unref();
  }

  #observe(batch: BatchDocument): void {
    const ending = endingOf(batch, this.#context.now());
    if (ending === undefined || this.#stop.signal.aborted) return;
    this.#stop.abort(ending);
    this.#giveUpTimer = setTimeout(() => this.#giveUp.abort(ending), giveUpMs).unref();
  }
}
