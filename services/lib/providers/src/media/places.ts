import { GatewayError } from "@uag/contract/errors/gateway-error";

/** Beyond this many waiters something is wrong, so more are refused. */
const maxWaiting = 1_000;

interface Waiter {
  readonly owner: string;
  readonly enter: () => void;
}

/**
 * A semaphore with a total limit and a limit per owner. Callers without a free place wait; the
 * first that fits gets the next one.
 */
export class Places {
  readonly #max: { readonly ofOwner: number; readonly ofAll: number };
  readonly #taken = new Map<string, number>();
  readonly #waiters = new Set<Waiter>();
  #all = 0;

  constructor(max: { ofOwner: number; ofAll: number }) {
    this.#max = max;
  }

  /**
   * Disposing the place frees it. @throws {GatewayError} `service_unavailable` when too many wait;
   * the signal's reason
   */
  async take(owner: string, signal?: AbortSignal): Promise<Disposable> {
    signal?.throwIfAborted();
    if (!this.#isFree(owner)) await this.#wait(owner, signal);
    else this.#enter(owner);
    let isMine = true;
    return {
      [Symbol.dispose]: () => {
        if (isMine) this.#leave(owner);
        isMine = false;
      },
    };
  }

  #isFree(owner: string): boolean {
    return this.#all < this.#max.ofAll && (this.#taken.get(owner) ?? 0) < this.#max.ofOwner;
  }

  #enter(owner: string): void {
    this.#all++;
    this.#taken.set(owner, (this.#taken.get(owner) ?? 0) + 1);
  }

  #wait(owner: string, signal: AbortSignal | undefined): Promise<void> {
    if (this.#waiters.size >= maxWaiting)
      throw new GatewayError("service_unavailable", undefined, { retryAfterMs: 1_000 });
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        owner,
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

  #leave(owner: string): void {
    this.#all--;
    const left = (this.#taken.get(owner) ?? 1) - 1;
    if (left === 0) this.#taken.delete(owner);
    else this.#taken.set(owner, left);
    for (const waiter of this.#waiters) {
      if (!this.#isFree(waiter.owner)) continue;
      this.#waiters.delete(waiter);
      this.#enter(waiter.owner);
      waiter.enter();
      return;
    }
  }
}
