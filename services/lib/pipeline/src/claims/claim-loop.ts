import { Wakeup } from "@uag/runtime/wakeup";

const idleMs = 1_000;

/** A job in a shared database, which one process at a time has claimed. */
interface Job {
  readonly accountId: string;
}

/** What a {@link ClaimLoop} does. */
export interface ClaimLoopOptions<J extends Job> {
  /** Jobs in progress at a time. */
  readonly atOnce: number;
  /**
   * Claims a job that is due, if there is one.
   * @param busy the account of each job in progress
   */
  claim(busy: readonly string[]): Promise<J | undefined>;
  /** Does what is possible now of a claimed job, and releases it. Never rejects. */
  work(job: J): Promise<void>;
  /** Reports that claiming failed; it is retried. */
  failed(error: unknown): void;
}

/**
 * Claims jobs and works on several at a time, until it is stopped. It looks for one every second, and
 * at once when it is woken or has ended another.
 */
export class ClaimLoop<J extends Job> implements AsyncDisposable {
  readonly #options: ClaimLoopOptions<J>;
  readonly #stop = new AbortController();
  readonly #wakeup = new Wakeup();
  /** Accounts by what is in progress. */
  readonly #running = new Map<Promise<void>, string>();
  readonly #loop: Promise<void>;

  constructor(options: ClaimLoopOptions<J>) {
    this.#options = options;
    this.#loop = this.#run();
  }

  /** A job may be due. */
  wake(): void {
    this.#wakeup.wakeAt();
  }

  /** Claims no more jobs. */
  stop(): void {
    this.#stop.abort();
  }

  /** Stops, and waits for the jobs in progress. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    await this.#loop;
    await Promise.all(this.#running.keys());
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const job = await this.#claim().catch((error: unknown) => {
        this.#options.failed(error);
        return undefined;
      });
      if (job === undefined) await this.#wakeup.sleepUntil(Date.now() + idleMs, signal);
      else this.#start(job);
    }
  }

  async #claim(): Promise<J | undefined> {
    if (this.#running.size >= this.#options.atOnce) return undefined;
    return await this.#options.claim([...this.#running.values()]);
  }

  #start(job: J): void {
    const work = this.#options.work(job).finally(() => {
      this.#running.delete(work);
      this.wake();
    });
    this.#running.set(work, job.accountId);
  }
}
