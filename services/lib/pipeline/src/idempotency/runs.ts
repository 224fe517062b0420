import { setTimeout as sleep } from "node:timers/promises";
import { Outcome, Pricing, SettlementRule } from "@uag/proto/metering/v1/usage.ts";
import type { Admission, AdmitRequest, Admitted, Settlement } from "@uag/usage/types";
import type { Run } from "./run.ts";

/** How long stopping waits for pending writes. */
const stopMs = 5_000;

/** This process's runs under idempotency keys, by request. */
export class Runs implements AsyncDisposable {
  readonly #runs = new Map<string, Run>();

  add(run: Run): void {
    this.#runs.set(run.requestId, run);
    void run.over.then(() => this.#runs.delete(run.requestId));
  }

  /**
   * Wraps admission to notify runs when their upstream may be called, and what they are billed. Other
   * requests pass through.
   */
  reporting(admission: Admission): Admission {
    return {
      admit: (request) => {
        const run = this.#runs.get(request.requestId);
        return run === undefined ? admission.admit(request) : admitRun(admission, request, run);
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const runs = [...this.#runs.values()];
    const stopping = new AbortController();
    const late = sleep(stopMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    await Promise.race([Promise.all(runs.map(({ over }) => over)), late]);
    stopping.abort();
    for (const run of runs) run[Symbol.dispose]();
  }
}

const nothing: Settlement = {
  outcome: Outcome.FAILED,
  settlementRule: SettlementRule.NOTHING_OWED,
  pricing: Pricing.EXACT,
  units: [],
  costNanoUsd: 0n,
  upstream: "",
  upstreamModel: "",
  rawUsage: new Uint8Array(),
  attempts: 0,
  failedAttempts: [],
  status: 503,
};

/**
 * Journal first, then the run's record: a record marked as started has a start on disk, which is
 * billed whatever happens.
 */
async function admitRun(admission: Admission, request: AdmitRequest, run: Run): Promise<Admitted> {
  const admitted = await admission.admit(request);
  try {
    await admitted.started;
    await run.start(request.model);
  } catch (error) {
    run.billed(nothing);
    await admitted.settle(nothing);
    throw error;
  }
  return {
    started: admitted.started,
    headers: admitted.headers,
    clientLeft: () => admitted.clientLeft(),
    checkpoint: (units, costNanoUsd) => admitted.checkpoint(units, costNanoUsd),
    settle: async (settlement) => {
      run.billed(settlement);
      try {
        await admitted.settle(settlement);
      } catch (error) {
        // The disk refuses the bill: a non-streamed response is not sent then, and not charged
        // either.
        if (!request.stream) run.billed(nothing);
        throw error;
      }
    },
  };
}
