import { LinkError } from "@uag/link/errors";
import { ClaimLoop } from "@uag/pipeline/claims/claim-loop";
import { ClaimRenewal } from "@uag/pipeline/claims/claim-renewal";
import type { Logger } from "@uag/runtime/log";
import type { BackgroundEvents } from "./events.ts";
import type { JobDocument } from "./job.ts";
import { leaseMs } from "./job-store.ts";
import { type Claimed, type RunContext, runJob } from "./run.ts";

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
  readonly #leave = new AbortController();
  readonly #loop: ClaimLoop<JobDocument>;
  #leaving = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
    const { context, atOnce, log } = options;
    this.#loop = new ClaimLoop({
      atOnce,
      claim: (busy) => context.jobs.claim(atLeast(Math.ceil(atOnce / 4), busy)),
      work: (job) => this.#work(job),
      failed: (err) => log.warn({ err }, "claiming a response in the background failed; retrying"),
    });
  }

  /** A job may be waiting. */
  wake(): void {
    this.#loop.wake();
  }

  /** Takes no more jobs, and gives those in progress their time to end. */
  leave(): void {
    if (this.#leaving) return;
    this.#leaving = true;
    this.#loop.stop();
    const reason = new LinkError("closed", "the process is stopping");
    setTimeout(() => this.#leave.abort(reason), this.#options.drainMs).unref();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.leave();
    await this.#loop[Symbol.asyncDispose]();
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

/** The texts that are in a list at least so many times, each once. */
function atLeast(times: number, texts: readonly string[]): string[] {
  const counts = Map.groupBy(texts, (text) => text);
  return [...counts].filter(([, same]) => same.length >= times).map(([text]) => text);
}

/** A claim, renewed until disposed, and what it learns of its job with each renewal. */
class Held implements Claimed, Disposable {
  readonly job: JobDocument;
  readonly signal: AbortSignal;
  readonly #renewal: ClaimRenewal<JobDocument>;

  constructor(job: JobDocument, { context, stopping }: { context: RunContext; stopping: AbortSignal }) {
    this.job = job;
    const end = new AbortController();
    const abort = (reason: string): void => end.abort(new LinkError("cancelled", reason));
    this.signal = AbortSignal.any([stopping, end.signal]);
    this.#renewal = new ClaimRenewal({
      leaseMs,
      renew: () => context.jobs.renew(job),
      renewed: ({ cancelledAt }) => void (cancelledAt !== undefined && abort("the response was cancelled")),
      lost: abort,
    });
  }

  [Symbol.dispose](): void {
    this.#renewal[Symbol.dispose]();
  }
}
