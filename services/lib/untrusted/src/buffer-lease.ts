import type { GatewayError } from "@uag/contract/errors/gateway-error";

/** One piece of work's share of a {@link BufferBudget}. */
export interface BufferLease extends Disposable {
  /** Bytes held by this lease. */
  readonly held: number;
  /**
   * Adds to the held bytes; call it before accepting them.
   * @throws {GatewayError} `service_unavailable` (503, with a retry time) when there is no room;
   * then nothing is added
   */
  take(bytes: number): void;
  /**
   * Like `take`, but waits some seconds for room; for work that has not begun. A request above the
   * most that one owner can ever hold reserves that maximum.
   * @throws {GatewayError} `service_unavailable` when there was no room in time; the signal's
   * reason
   */
  reserve(bytes: number, signal: AbortSignal): Promise<void>;
  /**
   * Adds bytes that are about to arrive and must not be refused, since they are paid for: at once
   * (undefined) if there is room, else once there is. After some seconds one lease at a time is
   * given bytes beyond the budget until it is disposed of, so that leases that wait for each other
   * all get done. Rejects with the signal's reason.
   */
  grow(bytes: number, signal: AbortSignal): Promise<void> | undefined;
  /** Releases a part early. More than is held releases everything. */
  give(bytes: number): void;
}

/** What a lease needs of its budget, for its owner. */
export interface LeaseBudget {
  readonly largest: number;
  /** Whether there is room for bytes beside those that the lease holds. */
  fits(bytes: number, held: number): boolean;
  move(bytes: number): void;
  /** True once `grant` was called, false when there was no room in time. */
  wait(asked: { bytes: number; held: number; grant: () => unknown }, signal: AbortSignal): Promise<boolean>;
  /** Allows a lease to exceed the budget; false while another does. */
  overdraw(): boolean;
  repaid(): void;
  refusal(bytes: number): GatewayError;
}

/** A lease of a budget. */
export class Lease implements BufferLease {
  readonly #budget: LeaseBudget;
  #held = 0;
  #overdraws = false;
  #disposed = false;

  constructor(budget: LeaseBudget) {
    this.#budget = budget;
  }

  get held(): number {
    return this.#held;
  }

  // Bound, since readers of bodies are given it alone.
  readonly take = (bytes: number): void => {
    if (!this.#budget.fits(bytes, this.#held)) throw this.#budget.refusal(bytes);
    this.#move(bytes);
  };

  async reserve(bytes: number, signal: AbortSignal): Promise<void> {
    const most = Math.min(bytes, this.#budget.largest);
    if (this.#budget.fits(most, this.#held)) this.#move(most);
    else if (!(await this.#wait(most, signal))) throw this.#budget.refusal(most);
  }

  grow(bytes: number, signal: AbortSignal): Promise<void> | undefined {
    if (!this.#overdraws && !this.#budget.fits(bytes, this.#held)) return this.#growLater(bytes, signal);
    this.#move(bytes);
    return undefined;
  }

  give(bytes: number): void {
    this.#move(-Math.min(bytes, this.#held));
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    if (this.#overdraws) this.#budget.repaid();
    this.#overdraws = false;
    this.#move(-this.#held);
  }

  async #growLater(bytes: number, signal: AbortSignal): Promise<void> {
    while (!(await this.#wait(bytes, signal))) {
      if (this.#disposed) return;
      this.#overdraws ||= this.#budget.overdraw();
      if (!this.#overdraws) continue;
      this.#move(bytes);
      return;
    }
  }

  #wait(bytes: number, signal: AbortSignal): Promise<boolean> {
    // A lease may be disposed of while it waits.
    const grant = (): unknown => !this.#disposed && this.#move(bytes);
    return this.#budget.wait({ bytes, held: this.#held, grant }, signal);
  }

  #move(bytes: number): void {
    this.#held += bytes;
    this.#budget.move(bytes);
  }
}
