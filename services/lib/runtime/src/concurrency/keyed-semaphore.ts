import { GatewayError } from "@uag/contract/errors/gateway-error";

/** The limits of a {@link KeyedSemaphore}. */
export interface KeyedSemaphoreLimits {
  readonly perKey: number;
  readonly total: number;
  /** Tasks that may wait beyond these. */
  readonly maxWaiting: number;
}

interface Waiter {
  readonly key: string;
  readonly enter: () => void;
}

/**
 * A semaphore with a total limit and a limit per key. Tasks wait in arrival order, except that one
 * whose key is at its limit delays no other.
 */
export class KeyedSemaphore {
  readonly #limits: KeyedSemaphoreLimits;
  readonly #taken = new Map<string, number>();
  readonly #waiters = new Set<Waiter>();
  #all = 0;

  constructor(limits: KeyedSemaphoreLimits) {
    this.#limits = limits;
  }

  /**
   * Waits for a turn, which disposing the result ends.
   * @throws {GatewayError} `service_unavailable` when too many wait; the signal's reason
   */
  async acquire(key: string, signal?: AbortSignal): Promise<Disposable> {
    signal?.throwIfAborted();
    if (!this.#isFree(key)) await this.#wait(key, signal);
    else this.#enter(key);
    let isMine = true;
    return {
      [Symbol.dispose]: () => {
        if (isMine) this.#leave(key);
        isMine = false;
      },
    };
  }

  #isFree(key: string): boolean {
    return this.#all < this.#limits.total && (this.#taken.get(key) ?? 0) < this.#limits.perKey;
  }

  #enter(key: string): void {
    this.#all++;
    this.#taken.set(key, (this.#taken.get(key) ?? 0) + 1);
  }

  #wait(key: string, signal: AbortSignal | undefined): Promise<void> {
    const { maxWaiting } = this.#limits;
    if (this.#waiters.size >= maxWaiting) {
      const cause = new Error(`${maxWaiting} calls wait for a turn`);
      throw new GatewayError("service_unavailable", undefined, { retryAfterMs: 1_000, cause });
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        key,
        enter: () => {
          signal?.removeEventListener("abort", leave);
          resolve();
        },
      };
      const leave = (): void => {
        this.#waiters.delete(waiter);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", leave, { once: true });
      this.#waiters.add(waiter);
    });
  }

  #leave(key: string): void {
    this.#all--;
    const left = (this.#taken.get(key) ?? 1) - 1;
    if (left === 0) this.#taken.delete(key);
    else this.#taken.set(key, left);
    for (const waiter of this.#waiters) {
      if (!this.#isFree(waiter.key)) continue;
      this.#waiters.delete(waiter);
      this.#enter(waiter.key);
      waiter.enter();
      return;
    }
  }
}
