import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { type LedgerServiceServer, LedgerServiceService } from "../../proto/gen/billing/v1/ledger.ts";
import { createRpcClient, type RpcClient } from "../../services/kit/src/rpc/client.ts";
import type { Target } from "./targets.ts";

const auditTimeoutMs = 60_000;
const pauseMs = 500;

/** Counts how many of the requests that a gateway served have reached its ledger. */
export class Recorded implements Disposable {
  readonly #ledger: RpcClient<LedgerServiceServer>;
  #before = 0;

  private constructor(ledger: RpcClient<LedgerServiceServer>) {
    this.#ledger = ledger;
  }

  /** Undefined when the target's router is not known, and so neither its ledger. Call before the first request. */
  static async open(target: Target): Promise<Recorded | undefined> {
    const router = target.processes.get("router");
    if (router === undefined) return undefined;
    const recorded = new Recorded(createRpcClient<LedgerServiceServer>(LedgerServiceService, await billingOf(router)));
    recorded.#before = (await recorded.#audit()).settled;
    return recorded;
  }

  async #audit(): Promise<{ readonly settled: number; readonly violations: readonly string[] }> {
    const { settledRequests, violations } = await this.#ledger.audit({}, { timeoutMs: auditTimeoutMs });
    return { settled: Number(settledRequests), violations };
  }

  /** Waits up to `withinMs` for the ledger to hold them all. Throws when it holds more or fewer, or is broken. */
  async check(options: {
    readonly served: number;
    readonly withinMs: number;
    readonly signal: AbortSignal;
  }): Promise<string> {
    const end = performance.now() + options.withinMs;
    for (;;) {
      const { settled, violations } = await this.#audit();
      const recorded = settled - this.#before;
      const said = `recorded ${recorded.toLocaleString("en-US")} of ${options.served.toLocaleString("en-US")}`;
      if (violations.length > 0) throw new Error(`${said}; the ledger is broken: ${violations.join("; ")}`);
      if (recorded === options.served) return said;
      if (recorded > options.served || performance.now() > end) throw new Error(said);
      await sleep(pauseMs, undefined, { signal: options.signal });
    }
  }

  [Symbol.dispose](): void {
    this.#ledger[Symbol.dispose]();
  }
}

/** The address at which the router itself finds billing: it works for a fleet that somebody else started too. */
async function billingOf(router: number): Promise<string> {
  const environment = await readFile(`/proc/${router}/environ`, "utf8");
  const address = /(?:^|\0)BILLING_ADDR=([^\0]+)/.exec(environment)?.[1];
  if (address === undefined) throw new Error(`the router (${router}) has no BILLING_ADDR`);
  return address;
}
