import type { Logger } from "@uag/runtime/log";
import { Wakeup } from "@uag/runtime/wakeup";
import { type BatchDocument, type Ending, endingOf } from "./batch.ts";
import { leaseMs } from "./batch-store.ts";
import type { BatchEvents } from "./events.ts";
import { type Claimed, nextStep, type StepContext } from "./steps.ts";

const renewEveryMs = leaseMs / 6;
const idleMs = 1_000;
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
  readonly #wakeup = new Wakeup();
  /** By account. */
  readonly #running = new Map<string, Promise<void>>();
  readonly #loop: Promise<void>;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#loop = this.#run();
  }

  /** A batch may be waiting. */
  wake(): void {
    this.#wakeup.wakeAt();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error("the process is stopping"));
    await this.#loop;
    await Promise.all(this.#running.values());
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const claimed = await this.#claim().catch((error: unknown) => {
        this.#options.log.warn({ err: error }, "claiming a batch failed; retrying");
        return undefined;
      });
      if (claimed === undefined) await this.#wakeup.sleepUntil(Date.now() + idleMs, signal);
      else this.#start(claimed);
    }
  }

  async #claim(): Promise<BatchDocument | undefined> {
    const { context, atOnce } = this.#options;
    if (this.#running.size >= atOnce) return undefined;
    return await context.batches.claim([...this.#running.keys()]);
  }

  #start(batch: BatchDocument): void {
    const work = this.#step(batch).finally(() => {
      this.#running.delete(batch.accountId);
      this.wake();
    });
    this.#running.set(batch.accountId, work);
  }

  async #step(batch: BatchDocument): Promise<void> {
    const { context, events, log, keptMs } = this.#options;
    const held = new Held(batch, { context, keptMs, stopping: this.#stop.signal });
    try {
      const status = await nextStep(context, held);
      if (status !== undefined) events.ended(batch, status);
    } catch (error) {
      const { signal } = held;
      if (!signal.aborted) log.warn({ err: error, batch: batch._id }, "a step of a batch failed; retrying");
      // Otherwise the claim expires on its own.
      await context.batches.release(batch, signal.aborted ? 0 : afterFailureMs).catch(() => undefined);
    } finally {
      held[Symbol.dispose]();
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
  readonly #lost = new AbortController();
  readonly #stop = new AbortController();
  readonly #giveUp = new AbortController();
  readonly stop = this.#stop.signal;
  readonly giveUp = this.#giveUp.signal;
  readonly #timer: NodeJS.Timeout;
  #giveUpTimer: NodeJS.Timeout | undefined;
  #lostTimer: NodeJS.Timeout | undefined;
  #renewedAt = performance.now();

  constructor(batch: BatchDocument, { context, keptMs, stopping }: HeldOptions) {
    this.batch = batch;
    this.#context = context;
    this.signal = AbortSignal.any([stopping, this.#lost.signal]);
    this.#observe(batch);
    if (batch.begun) this.#giveUpAt((batch.begunAt ?? batch.createdAt).getTime() + keptMs);
    this.#timer = setInterval(() => void this.#renew(), renewEveryMs);
    this.#timer.unref();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    clearTimeout(this.#giveUpTimer);
    clearTimeout(this.#lostTimer);
  }

  /** From then on a line that was billed would be billed again. */
  #giveUpAt(ms: number): void {
    const leftMs = ms - this.#context.now();
    if (leftMs <= 0) this.#giveUp.abort(responsesLost);
    else this.#lostTimer = setTimeout(() => this.#giveUp.abort(responsesLost), Math.min(leftMs, maxTimerMs)).unref();
  }

  async #renew(): Promise<void> {
    try {
      const renewed = await this.#context.batches.renew(this.batch);
      if (renewed === undefined) return this.#lose("another worker has the batch");
      this.#renewedAt = performance.now();
      this.#observe(renewed);
    } catch {
      // Retried by the next renewal, as long as no other worker can have it.
      if (performance.now() - this.#renewedAt > leaseMs) this.#lose("the claim could not be renewed");
    }
  }

  #lose(reason: string): void {
    this.#lost.abort(new Error(reason));
  }

  #observe(batch: BatchDocument): void {
    const ending = endingOf(batch, this.#context.now());
    if (ending === undefined || this.#stop.signal.aborted) return;
    this.#stop.abort(ending);
    this.#giveUpTimer = setTimeout(() => this.#giveUp.abort(ending), giveUpMs).unref();
  }
}
