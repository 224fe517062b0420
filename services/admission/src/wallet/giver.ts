import { GatewayError } from "@uag/kit/errors.ts";
import type { Logger } from "@uag/kit/log.ts";
import type { RpcClient } from "@uag/kit/rpc/client.ts";
import type { GrantServiceServer } from "@uag/proto/billing/v1/grants.ts";
import type { Give } from "./wallet.ts";

const inFlight = 16;

/** Sends money back to billing, each part until billing has answered. Parts of one grant may arrive in any order. */
export class Giver {
  readonly #billing: RpcClient<GrantServiceServer>;
  readonly #log: Logger;
  readonly #waiting: Give[] = [];
  #running = 0;

  constructor(billing: RpcClient<GrantServiceServer>, log: Logger) {
    this.#billing = billing;
    this.#log = log;
  }

  get idle(): boolean {
    return this.#waiting.length === 0 && this.#running === 0;
  }

  give(gives: Give[]): void {
    this.#waiting.push(...gives);
    this.retry();
  }

  /** Goes on after billing was out of reach. */
  retry(): void {
    while (this.#running < inFlight && this.#waiting.length > 0) {
      const give = this.#waiting.shift() as Give;
      this.#running++;
      this.#send(give)
        .then((sent) => {
          this.#running--;
          if (sent) this.retry();
        })
        .catch((error: unknown) => this.#log.error({ err: error }, "returning money failed"));
    }
  }

  async #send(give: Give): Promise<boolean> {
    const { grantId, sequence, close } = give;
    try {
      await this.#billing.return({ grantId, sequence, close, amountNanoUsd: give.amount, spentNanoUsd: give.spent });
      return true;
    } catch (error) {
      if (error instanceof GatewayError && error.retryable) {
        this.#waiting.push(give);
        return false;
      }
      // Billing will release what is left of the grant when its holder is closed.
      this.#log.warn({ err: error, grantId }, "billing would not take money back");
      return true;
    }
  }
}
