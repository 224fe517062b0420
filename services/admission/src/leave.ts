import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "@uag/kit/errors.ts";
import type { Journal } from "@uag/kit/journal/journal.ts";
import type { Publisher } from "./publish/publisher.ts";
import type { Setting } from "./setting.ts";

const pollMs = 100;
const mostRestMs = 5_000;

/** Waits until `done`; false when the signal ended it first. */
export async function until(done: () => boolean, signal: AbortSignal): Promise<boolean> {
  while (!done()) {
    if (signal.aborted) return false;
    await sleep(pollMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
  return true;
}

export interface Leaving {
  readonly holderIds: Iterable<string>;
  readonly journal: Journal;
  readonly publisher: Publisher;
}

/**
 * Ends holders for good: once metering has all of their finals, billing releases what they hold and the journal is
 * deleted. What could not be brought home when the signal fires stays on disk for the next start.
 */
export async function leave(setting: Setting, leaving: Leaving, signal: AbortSignal): Promise<boolean> {
  const home = await until(() => leaving.publisher.done, signal);
  await leaving.publisher[Symbol.asyncDispose]();
  for (const holderId of home ? leaving.holderIds : []) {
    if (!(await closeHolder(setting, holderId, signal))) return keepJournal(leaving);
  }
  if (!home) return keepJournal(leaving);
  await leaving.journal.destroy();
  return true;
}

async function keepJournal(leaving: Leaving): Promise<false> {
  await leaving.journal[Symbol.asyncDispose]();
  return false;
}

async function closeHolder(setting: Setting, holderId: string, signal: AbortSignal): Promise<boolean> {
  for (let restMs = pollMs; ; restMs = Math.min(restMs * 2, mostRestMs)) {
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
    await sleep(restMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
