import type { LimitName } from "@uag/contract/messages/billing";
import type { Bus } from "@uag/runtime/bus";
import { askHolders } from "./ask-holders.ts";

export interface RecallRequest {
  readonly keyId: string;
  readonly limit: LimitName;
  /** The holder that needs the permits; it does not reply to its own recall. */
  readonly holderId: string;
  readonly need: number;
  /** How many holders are expected to reply. */
  readonly holders: number;
  readonly waitMs: number;
}

/**
 * Asks the other holders for idle permits over NATS `billing.recall-limits.<key_id>` and waits
 * until each has replied, after returning what it can spare, at most `waitMs`. Returns in how many
 * milliseconds the first of their permits becomes free, if they know.
 */
export async function recallPermits(bus: Bus, request: RecallRequest): Promise<number | undefined> {
  const { keyId, limit: kind, holderId, need, waitMs } = request;
  let soonest: number | undefined;
  let missing = request.holders;
  await askHolders(bus, {
    keyId,
    message: { kind, holder_id: holderId, need },
    waitMs,
    heard(reply) {
      const freeInMs = reply?.free_in_ms;
      if (freeInMs !== undefined) soonest = Math.min(soonest ?? freeInMs, freeInMs);
      return --missing === 0;
    },
  });
  return soonest;
}
