import type { Dispatcher } from "undici";

/** A call waiting for a connection. */
export interface Waiter {
  /** It may use one now. Must not throw. */
  onTurn(dispatcher: Dispatcher): void;
}

export interface LaneOptions {
  /** Maximum concurrent calls, each on its own connection. */
  readonly maxCalls: number;
  /** Maximum calls queued beyond these. */
  readonly maxWaiting: number;
}

/**
 * The calls to one origin: a limited number run concurrently, and a bounded queue waits behind
 * them.
 */
export class Lane implements AsyncDisposable {
  readonly #options: LaneOptions;
  #dispatcher: Dispatcher;
  #underWay = 0;
  readonly #waiting = new Set<Waiter>();

  constructor(dispatcher: Dispatcher, options: LaneOptions) {
    this.#dispatcher = dispatcher;
    this.#options = options;
  }

  get idle(): boolean {
    return this.#underWay === 0;
  }

  /** False when the queue is full. */
  enter(waiter: Waiter): boolean {
    if (this.#underWay < this.#options.maxCalls) {
      this.#underWay++;
      waiter.onTurn(this.#dispatcher);
      return true;
    }
    if (this.#waiting.size >= this.#options.maxWaiting) return false;
    this.#waiting.add(waiter);
    return true;
  }

  /** Call once for each that entered, whether it was granted a connection or not. */
  leave(waiter: Waiter): void {
    if (this.#waiting.delete(waiter)) return;
    this.#underWay--;
    if (this.#waiting.size === 0) return;
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next);
    this.enter(next);
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
