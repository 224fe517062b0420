import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { GrantServiceServer, ReturnOutcome } from "@uag/proto/billing/v1/grants.ts";
import type { Logger } from "@uag/runtime/log";
import { type RpcClient, replicaFor } from "@uag/runtime/rpc/client";
import type { GrantReturn } from "./wallet.ts";

const callsAtOnce = 4;
const maxPerCall = 500;
const timeoutMs = 15_000;

interface PendingReturn {
  readonly accountId: string;
  readonly grantReturn: GrantReturn;
}

/**
 * Returns money to billing and retries each part until billing has acknowledged or refused it. Parts of one grant may
 * arrive in any order.
 */
export class GrantReturns {
  readonly #billing: RpcClient<GrantServiceServer>;
  readonly #log: Logger;
  /** By the replica of billing that has the account's money. */
  readonly #waiting = new Map<string, PendingReturn[]>();
  #running = 0;
  #pending = 0;

  constructor(billing: RpcClient<GrantServiceServer>, log: Logger) {
    this.#billing = billing;
    this.#log = log;
  }

  /** Returns that billing has neither acknowledged nor refused. */
  get pending(): number {
    return this.#pending;
  }

  returnGrants(accountId: string, returns: readonly GrantReturn[]): void {
    if (returns.length === 0) return;
    this.#pending += returns.length;
    this.#enqueue(returns.map((grantReturn) => ({ accountId, grantReturn })));
    this.retry();
  }

  #enqueue(batch: readonly PendingReturn[]): void {
    for (const item of batch) {
      const replica = replicaFor(this.#billing, item.accountId);
      const waiting = this.#waiting.get(replica) ?? [];
      this.#waiting.set(replica, waiting);
      waiting.push(item);
    }
  }

  /** A batch for one replica, which then queues behind the others; empty if nothing waits. */
  #take(): PendingReturn[] {
    for (const [replica, waiting] of this.#waiting) {
      const batch = waiting.splice(0, maxPerCall);
      this.#waiting.delete(replica);
      if (waiting.length > 0) this.#waiting.set(replica, waiting);
      return batch;
    }
    return [];
  }

  /**
   * Resumes after billing was unreachable. Sends at once, since a following Acquire must not
   * overtake the money it needs; while calls are in flight, further returns are batched.
   */
  retry(): void {
    while (this.#running < callsAtOnce && this.#waiting.size > 0) {
      const batch = this.#take();
      this.#running++;
      this.#send(batch)
        .then((again) => {
          this.#running--;
          this.#pending -= batch.length - again.length;
          this.#enqueue(again);
          if (again.length === 0) this.retry();
        })
        .catch((error: unknown) => this.#log.error({ err: error }, "returning money failed"));
    }
  }

  /** @returns what must be sent again */
  async #send(batch: PendingReturn[]): Promise<PendingReturn[]> {
    const returns = batch.map(({ accountId, grantReturn: { grantId, sequence, close, amount, spent } }) => ({
      accountId,
      grantId,
      sequence,
      close,
      amountNanoUsd: amount,
      spentNanoUsd: spent,
    }));
    try {
      const affinity = batch[0]?.accountId;
      const { outcomes } = await this.#billing.returnMany({ returns }, { timeoutMs, affinity });
      batch.forEach((item, index) => {
        this.#note(item, outcomes[index]);
      });
      return batch.filter((_, index) => outcomes[index]?.again ?? true);
    } catch (error) {
      if (error instanceof GatewayError && error.retryable) return batch;
      for (const item of batch) this.#note(item, { refused: String(error), again: false });
      return [];
    }
  }

  /** When a holder is closed, billing releases what is left of a grant whose return it refused. */
  #note({ grantReturn: { grantId } }: PendingReturn, outcome: ReturnOutcome | undefined): void {
    if (!outcome?.refused) return;
    this.#log.warn({ grantId, reason: outcome.refused }, "billing rejected a return of money");
  }
}
