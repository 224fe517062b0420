import type { Dispatcher } from "undici";

/** A call that wants a connection. */
export interface Waiter {
  /** It may use one. Must not throw. */
  onTurn(dispatcher: Dispatcher): void;
}

export interface LaneOptions {
  /** Calls under way at a time, each on a connection of its own. */
  readonly maxCalls: number;
  /** Calls that may wait for their turn beyond these. */
  readonly maxWaiting: number;
}

/**
 * The calls to one origin: as many as may be under way, and a line of bounded length behind them.
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

  /** False when the line is full. */
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

  /** Once for each that has entered, whether its turn has come or not. */
  leave(waiter: Waiter): void {
    if (this.#waiting.delete(waiter)) return;
    this.#underWay--;
    if (this.#waiting.size === 0) return;
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next);
    this.enter(next);
  }

  /** Calls under way end on the connections that they have; others are made with new ones. */
  replace(dispatcher: Dispatcher): void {
    const old = this.#dispatcher;
    this.#dispatcher = dispatcher;
    void old.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#dispatcher.destroy();
  }
}
