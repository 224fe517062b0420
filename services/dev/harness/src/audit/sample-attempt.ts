import type { Served } from "./served.ts";

/** An attempt that the simulator served completely, and a change of it; for tests. */
export function sampleAttempt(more: Partial<Served> = {}): Served {
  return {
    requestId: "r1",
    startedAtMs: 1_000,
    endedAtMs: 1_500,
    status: 200,
    usage: undefined,
    images: undefined,
    charged: "whole",
    outcome: "completed",
    faults: {},
    ...more,
  };
}
