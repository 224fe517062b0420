import { Semaphore } from "@uag/runtime/concurrency/semaphore";
import type { Dispatcher } from "undici";

export interface OriginLimits {
  /** Maximum concurrent calls, each on its own connection. */
  readonly maxCalls: number;
  /** Maximum calls queued beyond these. */
  readonly maxWaiting: number;
}

/** The connections to one origin, and the semaphore of the calls that use them. */
export class OriginConnections implements AsyncDisposable {
  readonly #maxCalls: number;
  readonly calls: Semaphore;
  #dispatcher: Dispatcher;

  constructor(dispatcher: Dispatcher, { maxCalls, maxWaiting }: OriginLimits) {
    this.#dispatcher = dispatcher;
    this.#maxCalls = maxCalls;
    this.calls = new Semaphore(maxCalls, maxWaiting);
  }

  /** For a call that has entered the semaphore. */
  get dispatcher(): Dispatcher {
    return this.#dispatcher;
  }

  get idle(): boolean {
    return this.calls.isIdle(this.#maxCalls);
  }

  /** Calls in progress finish on their connections; later ones use new connections. */
  replace(dispatcher: Dispatcher): void {
    const old = this.#dispatcher;
    this.#dispatcher = dispatcher;
    void old.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#dispatcher.destroy();
  }
}
