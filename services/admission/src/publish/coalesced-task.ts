import { backoffMs } from "@uag/kit/backoff.ts";

const maxRestMs = 5_000;

/** The task, and how failures of it are retried. */
export interface CoalescedTaskOptions {
  /** How long others who ask may join, milliseconds. */
  readonly restMs: number;
  /** Answers whether there is more to do: then it runs again after the same rest. */
  readonly step: () => Promise<boolean>;
  readonly failed: (error: unknown) => void;
}

/**
 * Work that is done a while after somebody asked for it, once for all who asked meanwhile. While
 * nobody asks it takes no time at all. After a failure it is tried again, after longer each time,
 * up to 5 s.
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
    else this.#timer = setTimeout(() => this.#begin(), this.#restMs()).unref();
  }

  #restMs(): number {
    return backoffMs(this.#failures, { firstMs: this.#options.restMs, maxMs: maxRestMs });
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
