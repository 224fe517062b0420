import { setTimeout as sleep } from "node:timers/promises";
import { type LedgerServiceServer, LedgerServiceService } from "@uag/proto/billing/v1/ledger.ts";
import { createRpcClient, type RpcClient } from "@uag/runtime/rpc/client";
import type { Target } from "./targets.ts";

const auditTimeoutMs = 60_000;
const pauseMs = 500;

/** Counts how many of the requests that a gateway served are in its ledger. */
export class Recorded implements Disposable {
  readonly #ledger: RpcClient<LedgerServiceServer>;
  #before = 0;

  private constructor(ledger: RpcClient<LedgerServiceServer>) {
    this.#ledger = ledger;
  }

  /**
   * Undefined if the target's ledger is unknown. Call before the first request.
   */
  static async open(target: Target): Promise<Recorded | undefined> {
    if (target.billing === undefined) return undefined;
    const { address, identity } = target.billing;
    const recorded = new Recorded(createRpcClient<LedgerServiceServer>(LedgerServiceService, address, identity));
    recorded.#before = (await recorded.#audit()).settled;
    return recorded;
  }

  async #audit(): Promise<{ readonly settled: number; readonly violations: readonly string[] }> {
    const { settledRequests, violations } = await this.#ledger.audit({}, { timeoutMs: auditTimeoutMs });
    return { settled: Number(settledRequests), violations };
  }

  /**
   * Waits up to `withinMs` until the ledger contains all requests. Throws if it contains more or
   * fewer, or has violations.
   */
  async check(options: {
    readonly served: number;
    readonly withinMs: number;
    readonly signal: AbortSignal;
  }): Promise<string> {
    const end = performance.now() + options.withinMs;
    for (;;) {
      const { settled, violations } = await this.#audit();
      const recorded = settled - this.#before;
      const reported = `recorded ${recorded.toLocaleString("en-US")} of ${options.served.toLocaleString("en-US")}`;
      if (violations.length > 0) throw new Error(`${reported}; the ledger has violations: ${violations.join("; ")}`);
      if (recorded === options.served) return reported;
      if (recorded > options.served || performance.now() > end) throw new Error(reported);
      await sleep(pauseMs, undefined, { signal: options.signal });
    }
  }

  [Symbol.dispose](): void {
    this.#ledger[Symbol.dispose]();
  }
}
