import { setTimeout as sleep } from "node:timers/promises";
import type { TestFleet } from "../testing/with-fleet.ts";

/** Numbers in [0, 1) that follow from a seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

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
