import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { BorrowRequest, BorrowResponse, LimitServiceServer } from "@uag/proto/billing/v1/limits.ts";
import { type Clock, type Moment, momentOf, msSince } from "@uag/runtime/clock";
import { newId } from "@uag/runtime/ids";
import type { RpcClient } from "@uag/runtime/rpc/client";
import { isFenced } from "../wallet/account.ts";

/** Configuration of a {@link Holder}. */
export interface HolderOptions {
  readonly billing: Pick<RpcClient<LimitServiceServer>, "renew" | "borrow">;
  readonly clock: Clock;
  /** Called when the lease expired and others may hold the permits: forget them. */
  readonly lapsed: () => void;
}

const callTimeoutMs = 2_000;
/** As long as a lease: a later response is useless. */
const borrowTimeoutMs = 4_000;

/**
 * This process's right to use permits. It runs on the monotonic clock from when the renewal was
 * sent, as long as the clocks agree. Once it has expired, permits are unused until billing says
 * whether they are still ours.
 */
export class Holder {
  readonly #options: HolderOptions;
  #id = newId("lim");
  #renewedAt: Moment | undefined;
  #leaseMs = 0;
  #renewing: Promise<void> | undefined;
  #sequence = 0n;

  constructor(options: HolderOptions) {
    this.#options = options;
  }

  get id(): string {
    return this.#id;
  }

  /**
   * Increases across all limits, so that it also increases for a limit that was forgotten for a
   * while.
   */
  nextSequence(): bigint {
    return ++this.#sequence;
  }

  get live(): boolean {
    return this.#remainingMs > 0;
  }

  get #remainingMs(): number {
    if (this.#renewedAt === undefined) return 0;
    return this.#leaseMs - msSince(this.#options.clock, this.#renewedAt);
  }

  /**
   * Makes sure that half of the lease is left, so that permits which arrive now outlast the next
   * tick: while none are held, the lease is not renewed. @throws {GatewayError} when billing cannot be reached
   */
  async ensure(): Promise<void> {
    if (this.#remainingMs <= this.#leaseMs / 2) await this.renew();
  }

  /**
   * Renews the lease, or joins the renewal in flight. @throws {GatewayError} when billing cannot be
   * reached
   */
  renew(): Promise<void> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renew(): Promise<void> {
    const { billing, clock } = this.#options;
    for (;;) {
      const sentAt = momentOf(clock);
      const { leaseMs, lapsed } = await billing.renew({ holderId: this.#id }, { timeoutMs: callTimeoutMs });
      if (!lapsed) {
        this.#renewedAt = sentAt;
        this.#leaseMs = leaseMs;
        return;
      }
      this.#lapse();
    }
  }

  /**
   * Borrows permits; the lease must be live. @throws {GatewayError} `permission_denied` when this
   * id has lapsed
   */
  async borrow(request: BorrowRequest): Promise<BorrowResponse> {
    try {
      return await this.#options.billing.borrow(request, { timeoutMs: borrowTimeoutMs });
    } catch (error) {
      if (error instanceof GatewayError && isFenced(error) && request.holderId === this.#id) this.#lapse();
      throw error;
    }
  }

  #lapse(): void {
    this.#renewedAt = undefined;
    this.#id = newId("lim");
    this.#options.lapsed();
  }
}
