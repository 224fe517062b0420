import { UsageBatch, type UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { validateUsageEvent } from "@uag/usage/usage-event";

/** A message that can never be applied, however often it is retried. */
export class PoisonError extends Error {
  override readonly name = "PoisonError";
}

/** An event that can never be applied, and why. */
export interface RefusedEvent {
  readonly event: UsageEvent;
  readonly reason: string;
}

/** A decoded batch: what can be applied, and what cannot. */
export interface DecodedBatch {
  readonly batchId: string;
  readonly events: readonly UsageEvent[];
  readonly refused: readonly RefusedEvent[];
}

/** Separates events that can be applied from those that cannot. */
export function decodeEvents(all: readonly UsageEvent[]): Pick<DecodedBatch, "events" | "refused"> {
  const events: UsageEvent[] = [];
  const refused: RefusedEvent[] = [];
  for (const event of all) {
    const invalid = validateUsageEvent(event);
    if (invalid === undefined) events.push(event);
    else refused.push({ event, reason: `${invalid} is not valid` });
  }
  return { events, refused };
}

/**
 * Decodes a batch; an invalid event does not affect the others. @throws {PoisonError} naming what
 * is wrong with the message itself
 */
export function decodeBatch(data: Uint8Array): DecodedBatch {
  let batch: UsageBatch;
  try {
    batch = UsageBatch.decode(data);
  } catch (error) {
    throw new PoisonError("not a UsageBatch", { cause: error });
  }
  if (batch.batchId === "") throw new PoisonError("the batch has no id");
  return { batchId: batch.batchId, ...decodeEvents(batch.events) };
}
