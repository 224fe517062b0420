import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "@uag/ledger/documents/store";
import type { Events } from "../events.ts";
import type { ChangePool } from "./change-pool.ts";
import type { LivenessGuard } from "./liveness-guard.ts";
import { forgetIdlePools, sweepLapsed } from "./reclaim.ts";

export interface LimitReaping {
  readonly store: Store;
  readonly changePool: ChangePool;
  readonly livenessGuard: LivenessGuard;
  readonly events: Events;
}

const everyMs = 2_000;
const forgetEvery = 30;

/** Reclaims the permits of dead holders periodically, in every replica: each step may run twice. */
export function startLimitReaper(reaping: LimitReaping): AsyncDisposable {
  const stopped = new AbortController();
  const { signal } = stopped;
  const round = async (count: number): Promise<void> => {
    if (!reaping.livenessGuard.steady) return;
    const lapsed = await sweepLapsed(reaping);
    if (lapsed > 0) reaping.events.limitHoldersLapsed(lapsed);
    if (count % forgetEvery === 0) await forgetIdlePools(reaping.store);
  };
  const loop = async (): Promise<void> => {
    for (let count = 1; !signal.aborted; count++) {
      await sleep(everyMs * (0.5 + Math.random()), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      await round(count).catch((error: unknown) => {
        reaping.livenessGuard.disturbed();
        reaping.events.reapFailed(error);
      });
    }
  };
  const running = loop();
  return {
    async [Symbol.asyncDispose]() {
      stopped.abort();
      await running;
    },
  };
}
