import { setTimeout as sleep } from "node:timers/promises";
import type { TestFleet } from "@uag/harness/fleet/with-fleet";

export interface KillOptions {
  readonly names: readonly string[];
  /** Average interval between kills; each is between 0.5 and 1.5 times this. */
  readonly everyMs: number;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Called after each kill. */
  readonly killed?: () => void;
}

/** Kills one process after another with SIGKILL until stopped; returns how many. */
export async function killPeriodically(fleet: TestFleet, options: KillOptions): Promise<number> {
  const { names, everyMs, random, signal } = options;
  let kills = 0;
  for (;;) {
    await sleep(everyMs * (0.5 + random()), undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return kills;
    const name = names[Math.floor(random() * names.length)] as string;
    await fleet.processes.kill(name).then(
      () => {
        kills++;
        options.killed?.();
      },
      // It is just being restarted.
      () => undefined,
    );
  }
}
