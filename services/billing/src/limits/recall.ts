import { type LimitName, limitRecall, limitRecallResponse, limitRecallSubjects } from "@uag/contract/messages/billing";
import type { Bus } from "@uag/runtime/bus";

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
  const { connection } = bus;
  const replyTo = bus.inbox();
  let soonest: number | undefined;
  const done = Promise.withResolvers<void>();
  const timer = setTimeout(done.resolve, request.waitMs);
  let missing = request.holders;
  const subscription = connection.subscribe(replyTo, {
    callback: (error, message) => {
      const freeInMs = error === null ? limitRecallResponse.decode(message.data)?.free_in_ms : undefined;
      if (freeInMs !== undefined) soonest = Math.min(soonest ?? freeInMs, freeInMs);
      if (--missing === 0) done.resolve();
    },
  });
  const payload = { kind: request.limit, holder_id: request.holderId, need: request.need, reply_to: replyTo };
  try {
    connection.publish(limitRecallSubjects.of(request.keyId), limitRecall.encode(payload));
    await done.promise;
  } finally {
    clearTimeout(timer);
    subscription.unsubscribe();
  }
  return soonest;
}
