import { setTimeout as sleep } from "node:timers/promises";
import type { TestFleet } from "@uag/fleet/testing/with-fleet.ts";

export interface KillOptions {
  readonly names: readonly string[];
  /** Between two kills: from half of it to one and a half. */
  readonly everyMs: number;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Called after each. */
  readonly killed?: () => void;
}

/** Ends one process after another with SIGKILL until told to stop; answers how many. */
export async function keepKilling(fleet: TestFleet, options: KillOptions): Promise<number> {
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
      // It is just being started again.
      () => undefined,
    );
  }
}
