import { GatewayError } from "@uag/contract/errors/gateway-error";
import { backoffMs } from "@uag/runtime/backoff";
import type { Journal } from "./journal/journal.ts";
import type { Publisher } from "./publish/publisher.ts";
import type { SessionDependencies } from "./session-dependencies.ts";

const pollMs = 100;
const backoff = { firstMs: pollMs, maxMs: 5_000 };

/** Waits until `done`; false when the signal aborted it. */
export async function until(
  done: () => boolean,
  dependencies: SessionDependencies,
  signal: AbortSignal,
): Promise<boolean> {
  while (!done()) {
    if (signal.aborted) return false;
    await dependencies.delay(pollMs, signal);
  }
  return true;
}

/**
 * Waits until nothing is pending, for as long as it becomes less; false when it has not for
 * `patienceMs`. A replica may have a hundred thousand grants to return.
 */
export async function drained(
  pending: () => number,
  dependencies: SessionDependencies,
  patienceMs: number,
): Promise<boolean> {
  let least = pending();
  let since = dependencies.clock.monotonic();
  while (least > 0) {
    if (dependencies.clock.monotonic() - since >= patienceMs) return false;
    await dependencies.delay(pollMs);
    if (pending() >= least) continue;
    least = pending();
    since = dependencies.clock.monotonic();
  }
  return true;
}

/** Holders that share a journal, and the publisher of their finals. */
export interface RetiringHolder {
  readonly holderIds: Iterable<string>;
  readonly journal: Journal;
  readonly publisher: Publisher;
  /** The journal stays on disk although it is delivered. Default: it is deleted. */
  readonly keepsJournal?: boolean;
}

/**
 * Ends holders permanently: once metering has all of their finals, billing releases what they hold
 * and the journal is deleted. What is undelivered when the signal fires stays on disk for the next
 * start, as does everything if the holder keeps its journal.
 *
 * The journal is sealed first. That waits for finals being written, and refuses later ones, which
 * go to the next holder: none can be acknowledged and then deleted with the journal.
 */
export async function retireHolder(
  dependencies: SessionDependencies,
  holder: RetiringHolder,
  signal: AbortSignal,
): Promise<boolean> {
  await holder.journal.seal();
  const delivered = await until(() => holder.publisher.done, dependencies, signal);
  await holder.publisher[Symbol.asyncDispose]();
  for (const holderId of delivered ? holder.holderIds : []) {
    if (!(await closeHolder(dependencies, holderId, signal))) return keepJournal(holder);
  }
  if (!delivered || holder.keepsJournal) return keepJournal(holder);
  await holder.journal.destroy();
  return true;
}

async function keepJournal(holder: RetiringHolder): Promise<false> {
  await holder.journal[Symbol.asyncDispose]();
  return false;
}

async function closeHolder(dependencies: SessionDependencies, holderId: string, signal: AbortSignal): Promise<boolean> {
  for (let failures = 0; ; failures++) {
    try {
      await dependencies.billing.closeHolder({ holderId });
      return true;
    } catch (error) {
      if (error instanceof GatewayError && !error.retryable) {
        dependencies.log.error({ err: error, holderId }, "billing rejected closing a holder");
        return true;
      }
    }
    if (signal.aborted) return false;
    await dependencies.delay(backoffMs(failures, backoff), signal);
  }
}
