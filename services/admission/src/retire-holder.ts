import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import type { Journal } from "@uag/journal/journal.ts";
import { backoffMs } from "@uag/kit/backoff.ts";
import type { Publisher } from "./publish/publisher.ts";
import type { Setting } from "./setting.ts";

const pollMs = 100;
const backoff = { firstMs: pollMs, maxMs: 5_000 };

/** Waits until `done`; false when the signal aborted it. */
export async function until(done: () => boolean, setting: Setting, signal: AbortSignal): Promise<boolean> {
  while (!done()) {
    if (signal.aborted) return false;
    await setting.rest(pollMs, signal);
  }
  return true;
}

/**
 * Waits until nothing is pending, for as long as it becomes less; false when it has not for
 * `patienceMs`. A replica may have a hundred thousand grants to return.
 */
export async function drained(pending: () => number, setting: Setting, patienceMs: number): Promise<boolean> {
  let least = pending();
  let since = setting.clock.monotonic();
  while (least > 0) {
    if (setting.clock.monotonic() - since >= patienceMs) return false;
    await setting.rest(pollMs);
    if (pending() >= least) continue;
    least = pending();
    since = setting.clock.monotonic();
  }
  return true;
}

/** Holders that share a journal, and the publisher of their finals. */
export interface RetiringHolder {
  readonly holderIds: Iterable<string>;
  readonly journal: Journal;
  readonly publisher: Publisher;
}

/**
 * Ends holders permanently: once metering has all of their finals, billing releases what they hold
 * and the journal is deleted. What is undelivered when the signal fires stays on disk for the next
 * start.
 *
 * The journal is sealed first. That waits for finals being written, and refuses later ones, which
 * go to the next holder: none can be acknowledged and then deleted with the journal.
 */
export async function retireHolder(setting: Setting, holder: RetiringHolder, signal: AbortSignal): Promise<boolean> {
  await holder.journal.seal();
  const home = await until(() => holder.publisher.done, setting, signal);
  await holder.publisher[Symbol.asyncDispose]();
  for (const holderId of home ? holder.holderIds : []) {
    if (!(await closeHolder(setting, holderId, signal))) return keepJournal(holder);
  }
  if (!home) return keepJournal(holder);
  await holder.journal.destroy();
  return true;
}

async function keepJournal(holder: RetiringHolder): Promise<false> {
  await holder.journal[Symbol.asyncDispose]();
  return false;
}

async function closeHolder(setting: Setting, holderId: string, signal: AbortSignal): Promise<boolean> {
  for (let failures = 0; ; failures++) {
    try {
      await setting.billing.closeHolder({ holderId });
      return true;
    } catch (error) {
      if (error instanceof GatewayError && !error.retryable) {
        setting.log.error({ err: error, holderId }, "billing would not close a holder");
        return true;
      }
    }
    if (signal.aborted) return false;
    await setting.rest(backoffMs(failures, backoff), signal);
  }
}
