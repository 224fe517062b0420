import { Pricing, UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import type { BuriedDocument } from "../store/rollup.ts";
import { type ApplyOptions, applyBatches } from "./apply.ts";
import { decodeEvents } from "./decode.ts";

/** What became of a buried event. */
export interface Unburied {
  readonly requestId: string;
  readonly accountId: string;
  /** Why it was buried, or why it still is. */
  readonly reason: string;
  readonly repaired: boolean;
}

const longestText = 256;
const clean = (text: string): string => text.replaceAll(/[\n\r\0]/g, " ").slice(0, longestText);
const atLeastZero = (amount: bigint): bigint => (amount < 0n ? 0n : amount);

/** The event with what nobody could store put right. A cost that cannot be is no price: it is charged once there is one. */
function mend(event: UsageEvent, buriedAt: Date, costNanoUsd: bigint | undefined): UsageEvent {
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

async function repairOne(options: ApplyOptions, document: BuriedDocument, cost: bigint | undefined): Promise<Unburied> {
  const { _id, requestId, accountId, buriedAt } = document;
  const { events, refused } = decodeEvents([mend(UsageEvent.decode(document.event), buriedAt, cost)]);
  const [wrong] = refused;
  if (wrong !== undefined) return { requestId, accountId, reason: wrong.reason, repaired: false };
  const again = await applyBatches(options, [{ batchId: `buried:${_id}`, events, refused: [] }], {
    buries: false,
  }).then(
    () => undefined,
    (error: Error) => error.message,
  );
  if (again !== undefined) return { requestId, accountId, reason: again, repaired: false };
  await options.store.buried.updateOne({ _id }, { $set: { repairedAt: new Date() } });
  return { requestId, accountId, reason: document.reason, repaired: true };
}

/** What lies buried, the oldest first. @param requestId empty: all of it */
export async function listBuried({ store }: Pick<ApplyOptions, "store">, requestId: string): Promise<BuriedDocument[]> {
  const filter = { repairedAt: { $exists: false }, ...(requestId !== "" && { requestId }) };
  return await store.buried.find(filter).sort({ buriedAt: 1 }).limit(1_000).toArray();
}

/**
 * Puts buried events right and applies them: each is charged and counted once, however often this runs.
 * @param which `cost` is what the request costs by a person's word, nano-USD
 */
export async function repairBuried(
  options: ApplyOptions,
  which: { readonly requestId: string; readonly cost: bigint | undefined },
): Promise<Unburied[]> {
  const done: Unburied[] = [];
  for (const document of await listBuried(options, which.requestId)) {
    done.push(await repairOne(options, document, which.cost));
  }
  return done;
}
