import { isDeepStrictEqual } from "node:util";
import { serviceNames } from "@uag/contract/routes";
import type { Crash } from "@uag/local/crash-log";
import { Outcome } from "@uag/proto/metering/v1/usage.ts";
import type { Billed } from "./billed.ts";
import { isCredible } from "./explain.ts";
import type { Served, ServedLog } from "./served.ts";

/** The services whose processes call providers. */
const callers: ReadonlySet<string> = new Set(serviceNames);

export interface ComparisonInput {
  served: ServedLog;
  billed: readonly Billed[];
  /** Catalogue names of the providers that the simulator replaces. */
  simulated: ReadonlySet<string>;
  crashes: readonly Crash[];
}

export interface Comparison {
  /** Requests billed by the provider's own usage. */
  readonly byCount: number;
  /** Requests billed by what was delivered, because the provider's usage never arrived. */
  readonly byEstimate: number;
  /** Served completely to a process that died before it could pass on a byte: nothing is owed. */
  readonly lostToCrash: number;
  /** Requests that were served but are missing in the ledger. */
  readonly unbilled: number;
  /** Bills of requests that were never served. */
  readonly unserved: number;
  /** One sentence per request whose bill differs from what was served. */
  readonly violations: readonly string[];
}

// Reading can be delayed when the provider's machine is busy, so this allows for responses read slightly later.
const readLateMs = 2_000;
// A response waits for its journal record, which waits for a disk that may be busy.
const recordLateMs = 10_000;

/** True when a process that calls providers died while it may have had the attempt's response. */
function diedDuring(attempt: Served, crashes: readonly Crash[]): boolean {
  return crashes.some(
    ({ process, atMs }) =>
      callers.has(process.replace(/-\d+$/, "")) &&
      atMs >= attempt.startedAtMs - readLateMs &&
      atMs <= attempt.endedAtMs + recordLateMs,
  );
}

const wasCounted = ({ outcome, usage }: Served): boolean => outcome === "completed" && usage !== undefined;

/** Charged by the provider although its client disconnected. */
const isCharged = ({ charged }: Served): boolean => charged === "whole" || charged === "made";

/** The provider continued without a reader, although none of our processes died. */
function wasChargedUnread(attempts: readonly Served[], crashes: readonly Crash[]): boolean {
  return attempts.some(
    (attempt) => attempt.outcome === "disconnected" && attempt.charged === "whole" && !diedDuring(attempt, crashes),
  );
}

/** Some models report no usage, but their output is known. */
const hasResponse = (attempt: Served): boolean =>
  wasCounted(attempt) || (attempt.outcome === "completed" && (attempt.images ?? 0) > 0);

/**
 * The usage of one attempt; or, for a request that was split into several calls, a list with the
 * usage of every successful attempt, each once.
 */
function isBilledByCount(attempts: readonly Served[], rawUsage: unknown): boolean {
  if (!Array.isArray(rawUsage)) return attempts.some(({ usage }) => isDeepStrictEqual(usage, rawUsage));
  const left = [...rawUsage];
  for (const { usage } of attempts.filter(wasCounted)) {
    const at = left.findIndex((count) => isDeepStrictEqual(count, usage));
    if (at < 0) return false;
    left.splice(at, 1);
  }
  return left.length === 0;
}

/** A task of the request reported usage that can be charged: not one that was taken for it by mistake. */
const hasChargedTask = (attempts: readonly Served[]): boolean => {
  const created = new Set(attempts.flatMap(({ task }) => (task?.polls === 0 ? [task.id] : [])));
  return attempts.some(
    (attempt) => created.has(attempt.task?.id ?? "") && wasCounted(attempt) && isCredible(attempt.usage),
  );
};

type Verdict = "byCount" | "byEstimate" | "lostToCrash" | "nothingOwed" | "unbilled" | { violation: string };

function judge(
  requestId: string,
  attempts: readonly Served[],
  bill: Billed | undefined,
  crashes: readonly Crash[],
): Verdict {
  const responded = attempts.filter(hasResponse);
  if (bill === undefined) {
    if (responded.length === 0) return "nothingOwed";
    if (responded.every((attempt) => diedDuring(attempt, crashes))) return "lostToCrash";
    return "unbilled";
  }
  if (bill.status === 499 && bill.costNanoUsd === 0n && attempts.some(isCharged)) {
    return {
      violation: `${requestId} costs nothing, although its client disconnected after the provider had received it.`,
    };
  }
  if (bill.costNanoUsd === 0n && hasChargedTask(attempts)) {
    return { violation: `${requestId} costs nothing, although the provider charges for its task.` };
  }
  if (bill.outcome === Outcome.DISCONNECTED && bill.rawUsage === undefined && wasChargedUnread(attempts, crashes)) {
    return {
      violation: `${requestId} is billed by estimate after its client disconnected, although the provider charges for the whole response.`,
    };
  }
  if (bill.rawUsage !== undefined) {
    if (isBilledByCount(attempts, bill.rawUsage)) return "byCount";
    const counts = attempts.map(({ usage }) => JSON.stringify(usage)).join(" and ");
    return {
      violation: `${requestId} is billed for ${JSON.stringify(bill.rawUsage)}; the provider reported ${counts}.`,
    };
  }
  if (bill.outcome === Outcome.COMPLETED && attempts.some(wasCounted))
    return { violation: `${requestId} is complete and the provider reported its usage, but its bill has no usage.` };
  if (bill.images !== undefined) {
    const made = responded.reduce((sum, { images = 0 }) => sum + images, 0);
    if (made === bill.images) return "byCount";
    return { violation: `${requestId} is billed for ${bill.images} images; the provider generated ${made}.` };
  }
  return bill.costNanoUsd === 0n ? "nothingOwed" : "byEstimate";
}

/**
 * Compares the bills with what the simulator reports to have served: each completed request must be
 * billed once, by its own usage.
 */
export function compare({ served, billed, simulated, crashes }: ComparisonInput): Comparison {
  const tally = { byCount: 0, byEstimate: 0, lostToCrash: 0, nothingOwed: 0, unbilled: 0 };
  let unserved = 0;
  const violations: string[] = [];
  const bills = new Map(billed.map((bill) => [bill.requestId, bill]));
  const byRequest = Map.groupBy(served.attempts, ({ requestId }) => requestId);
  for (const [requestId, attempts] of byRequest) {
    if (requestId === undefined) continue;
    const verdict = judge(requestId, attempts, bills.get(requestId), crashes);
    if (verdict === "unbilled") violations.push(`${requestId} was served but is not in the ledger.`);
    if (typeof verdict === "string") tally[verdict]++;
    else violations.push(verdict.violation);
  }
  for (const { requestId, upstream, costNanoUsd } of served.complete ? billed : []) {
    if (costNanoUsd === 0n || !simulated.has(upstream) || byRequest.has(requestId)) continue;
    violations.push(`${requestId} is billed ${costNanoUsd} nano-USD but was not served.`);
    unserved++;
  }
  const { byCount, byEstimate, lostToCrash, unbilled } = tally;
  return { byCount, byEstimate, lostToCrash, unbilled, unserved, violations };
}
