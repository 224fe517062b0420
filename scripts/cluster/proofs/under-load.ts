import type { Gateway } from "../fleet/gateway.ts";
import type { Release } from "../fleet/install.ts";
import type { Kubectl } from "../node/kubectl.ts";
import type { PolicyController } from "../node/policies.ts";
import { Load, type Outcome } from "./load.ts";

export interface Around {
  readonly kubectl: Kubectl;
  readonly release: Release;
  readonly gateway: Gateway;
  readonly policies: PolicyController;
  /** Folder of the volumes. */
  readonly volumeDir: string;
}

/** What a proof found: a sentence with its figures, and what is wrong. */
export interface Finding {
  readonly figures: string;
  readonly problems: readonly string[];
}

export type Proof = (around: Around) => Promise<Finding>;

export const seconds = (sinceMs: number): string => ((performance.now() - sinceMs) / 1_000).toFixed(0);

/**
 * Runs `action` under load and audits afterwards: every completed request is in the ledger, nothing
 * else is, and the ledger is exact.
 * @param mayFail whether the action may cut requests
 * @param mayLose whether the action may destroy the usage of completed requests
 * @param concurrency requests in flight
 */
export async function underLoad(
  { gateway }: Around,
  action: () => Promise<string>,
  { mayFail = false, mayLose = false, concurrency = 4 } = {},
): Promise<Finding> {
  const before = await gateway.audit();
  const load = new Load(gateway, concurrency);
  let figures: string;
  let outcome: Outcome;
  try {
    figures = await action();
  } finally {
    outcome = await load.stop();
  }
  const { completed, failed, failures } = outcome;
  const { text, books } = await gateway.audit(before.books.settledRequests + completed);
  const settled = books.settledRequests - before.books.settledRequests;
  const problems: string[] = [];
  if (!mayFail && failed > 0) problems.push(`${failed} requests failed`, ...failures);
  const lost = Math.max(0, completed - settled);
  if ((lost > 0 && !mayLose) || settled > completed + failed)
    problems.push(`${completed} completed, ${settled} settled`);
  if (!/^exact$/m.test(text)) problems.push(text);
  const losses = mayLose ? `, ${lost} lost` : "";
  const requests = `${completed + failed} requests, ${failed} failed; ${settled} settled${losses}, books exact`;
  return { figures: `${figures}; ${requests}`, problems };
}
