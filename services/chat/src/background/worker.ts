import { LinkError } from "@uag/link/errors";
import type { Logger } from "@uag/runtime/log";
import { Wakeup } from "@uag/runtime/wakeup";
import type { BackgroundEvents } from "./events.ts";
import type { JobDocument } from "./job.ts";
import { leaseMs } from "./job-store.ts";
import { type Claimed, type RunContext, runJob } from "./run.ts";

const renewEveryMs = leaseMs / 6;
const idleMs = 1_000;
const afterFailureMs = 2_000;

/** What a {@link BackgroundWorker} works with. */
export interface WorkerOptions {
  readonly context: RunContext;
  /** Jobs in progress at a time. */
  readonly atOnce: number;
  readonly events: BackgroundEvents;
  readonly log: Logger;
  /** How long jobs in progress have to end when the process stops, milliseconds. */
  readonly drainMs: number;
}

/** Runs jobs of all accounts, of none more than a quarter at a time. */
export class BackgroundWorker implements AsyncDisposable {
  readonly #options: WorkerOptions;
  readonly #stop = new AbortController();
  readonly #leave = new AbortController();
  readonly #wakeup = new Wakeup();
  readonly #running = new Map<Promise<void>, string>();
  readonly #loop: Promise<void>;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#loop = this.#run();
  }

  /** A job may be waiting. */
  wake(): void {
    this.#wakeup.wakeAt();
  }

  /** Takes no more jobs, and gives those in progress their time to end. */
  leave(): void {
    if (this.#stop.signal.aborted) return;
    this.#stop.abort();
    const reason = new LinkError("closed", "the process is stopping");
    setTimeout(() => this.#leave.abort(reason), this.#options.drainMs).unref();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.leave();
    await this.#loop;
    await Promise.all(this.#running.keys());
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const job = await this.#claim().catch((error: unknown) => {
        this.#options.log.warn({ err: error }, "claiming a response in the background failed; retrying");
        return undefined;
      });
      if (job === undefined) await this.#wakeup.sleepUntil(Date.now() + idleMs, signal);
      else this.#start(job);
    }
  }

  async #claim(): Promise<JobDocument | undefined> {
    const { context, atOnce } = this.#options;
    if (this.#running.size >= atOnce) return undefined;
    const counts = Map.groupBy(this.#running.values(), (accountId) => accountId);
    const busy = [...counts].filter(([, own]) => own.length >= Math.ceil(atOnce / 4)).map(([accountId]) => accountId);
    return await context.jobs.claim(busy);
  }

  #start(job: JobDocument): void {
    const work = this.#work(job).finally(() => {
      this.#running.delete(work);
      this.wake();
    });
    this.#running.set(work, job.accountId);
  }

  async #work(job: JobDocument): Promise<void> {
    const { context, events, log } = this.#options;
    using held = new Held(job, { context, stopping: this.#leave.signal });
    try {
      const end = await runJob(context, held);
      if (end !== undefined) events.ended(job, end);
    } catch (error) {
      log.warn({ err: error, response: job.id }, "a response in the background was interrupted; retrying");
      // Otherwise the claim expires on its own.
      await context.jobs.release(job, { delayMs: afterFailureMs, anew: false }).catch(() => undefined);
    }
  }
}

/** A claim, renewed until disposed, and what it learns of its job with each renewal. */
class Held implements Claimed, Disposable {
  readonly job: JobDocument;
  readonly signal: AbortSignal;
  readonly #context: RunContext;
  readonly #end = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #renewedAt = performance.now();

  constructor(job: JobDocument, { context, stopping }: { context: RunContext; stopping: AbortSignal }) {
    this.job = job;
    this.#context = context;
    this.signal = AbortSignal.any([stopping, this.#end.signal]);
    this.#timer = setInterval(() => void this.#renew(), renewEveryMs);
    this.#timer.unref();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  async #renew(): Promise<void> {
    try {
      const renewed = await this.#context.jobs.renew(this.job);
      if (renewed === undefined) this.#abort("another process makes the response");
      else if (renewed.cancelledAt !== undefined) this.#abort("the response was cancelled");
      this.#renewedAt = performance.now();
    } catch {
      // Retried by the next renewal, as long as no other worker can have it.
      if (performance.now() - this.#renewedAt > leaseMs) this.#abort("the claim could not be renewed");
    }
  }

  #abort(reason: string): void {
    this.#end.abort(new LinkError("cancelled", reason));
  }
}
