import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import type { Logger } from "@uag/kit/log.ts";
import { type RpcClient, replicaFor } from "@uag/kit/rpc/client.ts";
import type { GrantServiceServer, ReturnOutcome } from "@uag/proto/billing/v1/grants.ts";
import type { GrantReturn } from "./wallet.ts";

const callsAtOnce = 4;
const maxPerCall = 500;
const timeoutMs = 15_000;

interface Parcel {
  readonly accountId: string;
  readonly give: GrantReturn;
}

/**
 * Returns money to billing and retries each part until billing has answered. Parts of one grant may
 * arrive in any order.
 */
export class GrantReturns {
  readonly #billing: RpcClient<GrantServiceServer>;
  readonly #log: Logger;
  /** By the replica of billing that has the account's money. */
  readonly #waiting = new Map<string, Parcel[]>();
  #running = 0;
  #pending = 0;

  constructor(billing: RpcClient<GrantServiceServer>, log: Logger) {
    this.#billing = billing;
    this.#log = log;
  }

  /** Returns that billing has not answered for good. */
  get pending(): number {
    return this.#pending;
  }

  give(accountId: string, returns: readonly GrantReturn[]): void {
    if (returns.length === 0) return;
    this.#pending += returns.length;
    this.#enqueue(returns.map((give) => ({ accountId, give })));
    this.retry();
  }

  #enqueue(parcels: readonly Parcel[]): void {
    for (const parcel of parcels) {
      const replica = replicaFor(this.#billing, parcel.accountId);
      const waiting = this.#waiting.get(replica) ?? [];
      this.#waiting.set(replica, waiting);
      waiting.push(parcel);
    }
  }

  /** Parcels for one replica, which then waits behind the others; empty when there are none. */
  #take(): Parcel[] {
    for (const [replica, waiting] of this.#waiting) {
      const parcels = waiting.splice(0, maxPerCall);
      this.#waiting.delete(replica);
      if (waiting.length > 0) this.#waiting.set(replica, waiting);
      return parcels;
    }
    return [];
  }

  /**
   * Resumes after billing was unreachable. Sends at once, since a following Acquire must not
   * overtake the money it needs; while calls are in flight, further returns are batched.
   */
  retry(): void {
    while (this.#running < callsAtOnce && this.#waiting.size > 0) {
      const parcels = this.#take();
      this.#running++;
      this.#send(parcels)
        .then((again) => {
          this.#running--;
          this.#pending -= parcels.length - again.length;
          this.#enqueue(again);
          if (again.length === 0) this.retry();
        })
        .catch((error: unknown) => this.#log.error({ err: error }, "returning money failed"));
    }
  }

  /** @returns what must be sent again */
  async #send(parcels: Parcel[]): Promise<Parcel[]> {
    const returns = parcels.map(({ accountId, give: { grantId, sequence, close, amount, spent } }) => ({
      accountId,
      grantId,
      sequence,
      close,
      amountNanoUsd: amount,
      spentNanoUsd: spent,
    }));
    try {
      const affinity = parcels[0]?.accountId;
      const { outcomes } = await this.#billing.returnMany({ returns }, { timeoutMs, affinity });
      parcels.forEach((parcel, index) => {
        this.#note(parcel, outcomes[index]);
      });
      return parcels.filter((_, index) => outcomes[index]?.again ?? true);
    } catch (error) {
      if (error instanceof GatewayError && error.retryable) return parcels;
      for (const parcel of parcels) this.#note(parcel, { refused: String(error), again: false });
      return [];
    }
  }

  /** When a holder is closed, billing releases what is left of a grant whose return it refused. */
  #note({ give: { grantId } }: Parcel, outcome: ReturnOutcome | undefined): void {
    if (!outcome?.refused) return;
    this.#log.warn({ grantId, reason: outcome.refused }, "billing would not take money back");
  }
}
