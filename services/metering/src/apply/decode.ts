import { UsageBatch, type UsageEvent } from "@uag/proto/metering/v1/usage.ts";

/** A message that can never be applied, however often it is retried. */
export class PoisonError extends Error {
  override readonly name = "PoisonError";
}

const idPattern = /^[^\n\r\0]{1,256}$/;
const textPattern = /^[^\n\r\0]{0,512}$/;
/** A unit's name; after a colon, the variant that its price depends on. */
const unitPattern = /^[^\n\r\0]{1,128}$/;
/** A Date after the year 5138 is a mistake of units. */
const latestMs = 100_000_000_000_000n;

/**
 * The most that one event may cost, hold (nine million USD) or count of a unit: what JSON numbers
 * hold exactly. Sums of a thousand such events stay within int64.
 */
const maxFigure = BigInt(Number.MAX_SAFE_INTEGER);
const isFigure = (value: bigint): boolean => value >= 0n && value <= maxFigure;

function fault(event: UsageEvent): string | undefined {
  if (!idPattern.test(event.requestId)) return "request_id";
  if (!idPattern.test(event.accountId)) return "account_id";
  const texts = [event.keyId, event.holderId, event.grantId, event.operation, event.model];
  if (!texts.every((text) => textPattern.test(text))) return "an id or a name";
  if (!isFigure(event.costNanoUsd) || !isFigure(event.holdNanoUsd)) return "an amount";
  if (event.endedAtMs <= 0n || event.endedAtMs > latestMs || event.startedAtMs > latestMs) return "a time";
  if (!event.units.every(({ name, quantity }) => unitPattern.test(name) && isFigure(quantity))) return "a unit";
  return undefined;
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
    const wrong = fault(event);
    if (wrong === undefined) events.push(event);
    else refused.push({ event, reason: `${wrong} is not valid` });
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
