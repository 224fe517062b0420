import { backoffMs } from "@uag/runtime/backoff";

const maxDelayMs = 5_000;

/** The task, and how its failures are reported. */
export interface CoalescedTaskOptions {
  /** How long to wait for further requests to join, milliseconds. */
  readonly delayMs: () => number;
  /** Returns whether more work remains: then it runs again after the same delay. */
  readonly step: () => Promise<boolean>;
  readonly failed: (error: unknown) => void;
}

/**
 * Runs work a short delay after it was requested, once for all requests in between; idle, it costs
 * nothing. A failure is retried with growing delays, up to 5 s.
 */
export class CoalescedTask implements AsyncDisposable {
  readonly #options: CoalescedTaskOptions;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #requestedAgain = false;
  #stopped = false;

  constructor(options: CoalescedTaskOptions) {
    this.#options = options;
  }

  request(): void {
    if (this.#timer !== undefined || this.#stopped) return;
    if (this.#running !== undefined) this.#requestedAgain = true;
    else this.#timer = setTimeout(() => this.#begin(), this.#delayMs()).unref();
  }

  #delayMs(): number {
    return backoffMs(this.#failures, { firstMs: this.#options.delayMs(), maxMs: maxDelayMs });
  }

  #begin(): void {
    this.#timer = undefined;
    this.#requestedAgain = false;
    this.#running = this.#run();
  }

  async #run(): Promise<void> {
    const more = await this.#step();
    this.#running = undefined;
    if (more || this.#requestedAgain) this.request();
  }

  async #step(): Promise<boolean> {
    try {
      const more = await this.#options.step();
      this.#failures = 0;
      return more;
    } catch (error) {
      this.#failures++;
      this.#options.failed(error);
      return true;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }
}
