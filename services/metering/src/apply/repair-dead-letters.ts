import { GatewayError } from "@uag/contract/errors/gateway-error";
import { Pricing, UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import type { DeadLetterDocument } from "../store/rollup.ts";
import type { Store } from "../store/store.ts";
import { type ApplyOptions, applyBatches } from "./apply.ts";
import { decodeEvents } from "./decode.ts";

const maxTextLength = 256;
const clean = (text: string): string => text.replaceAll(/[\n\r\0]/g, " ").slice(0, maxTextLength);
const atLeastZero = (amount: bigint): bigint => (amount < 0n ? 0n : amount);

/**
 * The event with everything invalid corrected. An impossible cost counts as no price: the event is
 * charged once it has one.
 */
export function repairedEvent({ event: bytes, buriedAt, costNanoUsd }: DeadLetterDocument): UsageEvent {
  const event = UsageEvent.decode(bytes);
  const priced = costNanoUsd !== undefined;
  const cost = costNanoUsd ?? event.costNanoUsd;
  return {
    ...event,
    keyId: clean(event.keyId),
    grantId: clean(event.grantId),
    holderId: clean(event.holderId),
    operation: clean(event.operation),
    model: clean(event.model),
    units: event.units.map(({ name, quantity }) => ({
      name: clean(name).slice(0, 128) || "unnamed",
      quantity: atLeastZero(quantity),
    })),
    holdNanoUsd: atLeastZero(event.holdNanoUsd),
    costNanoUsd: atLeastZero(cost),
    pricing: priced ? Pricing.ESTIMATED : cost < 0n ? Pricing.UNPRICED : event.pricing,
    startedAtMs: atLeastZero(event.startedAtMs),
    endedAtMs: event.endedAtMs > 0n ? event.endedAtMs : BigInt(buriedAt.getTime()),
  };
}

/** Dead-lettered events, oldest first, at most 1,000. @param requestId empty: all of them */
export async function listDeadLetters({ deadLetters }: Store, requestId: string): Promise<DeadLetterDocument[]> {
  const filter = { repairedAt: { $exists: false }, ...(requestId !== "" && { requestId }) };
  return await deadLetters.find(filter).sort({ buriedAt: 1 }).limit(1_000).toArray();
}

/**
 * Sets the cost of a dead-lettered event, nano-USD.
 * @throws {GatewayError} `not_found` when no dead letter has the id
 */
export async function priceDeadLetter({ deadLetters }: Store, id: string, costNanoUsd: bigint): Promise<void> {
  const { matchedCount } = await deadLetters.updateOne(
    { _id: id, repairedAt: { $exists: false } },
    { $set: { costNanoUsd } },
  );
  if (matchedCount === 0) throw new GatewayError("not_found", "No dead letter has this id.", { param: "id" });
}

/**
 * Corrects a dead-lettered event and applies it. Idempotent: it is charged and counted once.
 * @returns why it stays a dead letter; undefined when it is applied
 * @throws {GatewayError} `not_found` when no dead letter has the id
 */
export async function repairDeadLetter(options: ApplyOptions, id: string): Promise<string | undefined> {
  const { store } = options;
  const document = await store.deadLetters.findOne({ _id: id, repairedAt: { $exists: false } });
  if (document === null) throw new GatewayError("not_found", "No dead letter has this id.", { param: "id" });
  const { events, refused } = decodeEvents([repairedEvent(document)]);
  const [wrong] = refused;
  if (wrong !== undefined) return wrong.reason;
  const failure = await applyBatches(options, [{ batchId: `buried:${id}`, events, refused: [] }], {
    deadLetters: false,
  }).then(
    () => undefined,
    (error: Error) => error.message,
  );
  if (failure === undefined) await store.deadLetters.updateOne({ _id: id }, { $set: { repairedAt: new Date() } });
  return failure;
}
