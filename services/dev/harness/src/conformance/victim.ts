import { replica } from "../replica.ts";
import type { OperationsHarness, StartOptions } from "../start-operations.ts";
import { callOf, type Served } from "./served.ts";

/** The case that the process to be killed serves. */
export interface VictimTask {
  readonly served: number;
  readonly account: string;
  readonly requestId: string;
}

const upstreamVariable = "CONFORMANCE_UPSTREAM_URL";

/** The environment in which a file that calls `conformance` serves instead of testing. */
export const victimEnv = (upstreamUrl: string): Readonly<Record<string, string>> => ({
  [upstreamVariable]: upstreamUrl,
});

/** True in the process that the test kills. */
export const isVictim = (): boolean => process.env[upstreamVariable] !== undefined;

/**
 * Serves the operations with a real admission and journal, and calls them as its parent requests,
 * until it is killed.
 */
export async function serveVictim(
  start: (upstreamUrl: string, parts: Pick<StartOptions, "admission">) => Promise<OperationsHarness>,
  cases: readonly Served[],
): Promise<void> {
  const admission = await replica(process.env as Record<string, string>);
  const harness = await start(process.env[upstreamVariable] ?? "", { admission });
  process.on("message", async ({ served, ...caller }: VictimTask) => {
    const { status, text } = await callOf(cases[served] as Served, { harness }, { caller });
    process.send?.(`answered ${status}: ${text.slice(0, 200)}`);
  });
  process.send?.("ready");
}
