import { type ModelPrice, price } from "@uag/catalog/price";
import { isImplausible } from "@uag/catalog/provisional";
import { type EntryDocument, entryMessage } from "@uag/ledger/documents/ledger";
import { entryId } from "@uag/ledger/rules/entry";
import { repairOperation } from "@uag/ledger/rules/repair";
import { type Repair, RepairState } from "@uag/proto/billing/v1/admin.ts";
import type { Actor } from "@uag/proto/common/v1/actor.ts";
import { Pricing, type UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { recordOnce } from "../audit/record.ts";
import type { Billing } from "../billing.ts";

const noCost = { chargedNanoUsd: 0n, writtenOffNanoUsd: 0n };

/** The price version of costs set by hand. */
const manual = "manual";

/** A request that waits for its price. */
export interface Unpriced {
  readonly event: UsageEvent;
  /** What was billed for it so far, nano-USD. */
  readonly billed: bigint;
}

/**
 * What the request costs, by the cost given by hand or the current prices, or why that is unknown.
 */
function priced({ event, billed }: Unpriced, prices: ReadonlyMap<string, ModelPrice>, reported?: bigint): Repair {
  const repaired = (now: UsageEvent): Repair => {
    const chargedNanoUsd = now.costNanoUsd - billed;
    return { state: RepairState.REPAIRED, event: now, chargedNanoUsd, writtenOffNanoUsd: 0n };
  };
  if (reported !== undefined)
    return repaired({ ...event, costNanoUsd: reported, pricing: Pricing.ESTIMATED, priceVersion: manual });
  const wasCounted = event.units.some((unit) => unit.quantity > 0n);
  if (!wasCounted) return { state: RepairState.NO_USAGE, event, ...noCost };
  const modelPrice = prices.get(event.model);
  const found = modelPrice && price(event.units, modelPrice);
  if (found === undefined || found.pricing === Pricing.UNPRICED)
    return { state: RepairState.NO_PRICE, event, ...noCost };
  if (isImplausible(found.costNanoUsd, event.holdNanoUsd)) return { state: RepairState.IMPLAUSIBLE, event, ...noCost };
  return repaired({ ...event, ...found, priceVersion: modelPrice?.version ?? "" });
}

async function earlierRepair({ store }: Billing, requestId: string): Promise<Repair | undefined> {
  const row = await store.ledger.findById(entryId.repair(requestId)).lean<EntryDocument>();
  if (row === null) return undefined;
  const { event, chargedNanoUsd, writtenOffNanoUsd } = entryMessage(row);
  return { state: RepairState.EARLIER, event, chargedNanoUsd, writtenOffNanoUsd };
}

/**
 * The record has its row's id: a call repeated after a crash adds what is missing and nothing
 * twice.
 */
async function record(billing: Billing, { event, ...repair }: Repair, actor: Actor | undefined): Promise<void> {
  if (event === undefined) return;
  const { requestId, accountId, model, priceVersion } = event;
  const after = JSON.stringify({
    model,
    price_version: priceVersion,
    charged_nano_usd: String(repair.chargedNanoUsd),
    written_off_nano_usd: String(repair.writtenOffNanoUsd),
  });
  const change = { actor, action: "ledger.repair", targetId: requestId, accountId, after };
  await recordOnce(billing, change, entryId.repair(requestId));
}

/**
 * Prices one request that was settled without a price, and corrects its provisional charge unless
 * this is a dry run.
 */
export async function repair(
  billing: Billing,
  unpriced: Unpriced,
  options: {
    prices: ReadonlyMap<string, ModelPrice>;
    /** A cost given by hand, in place of the prices, nano-USD. */
    cost: bigint | undefined;
    dryRun: boolean;
    actor: Actor | undefined;
  },
): Promise<Repair> {
  const { prices, cost, dryRun, actor } = options;
  const earlier = await earlierRepair(billing, unpriced.event.requestId);
  const found = earlier ?? priced(unpriced, prices, cost);
  if (dryRun || found.event === undefined) return found;
  if (earlier === undefined && found.state === RepairState.REPAIRED) {
    const { isNew, charged, writtenOff } = await billing.queue.submit(repairOperation(found.event));
    // Another call was faster: what it charged counts.
    if (!isNew) return (await earlierRepair(billing, unpriced.event.requestId)) ?? found;
    const { accountId, requestId } = found.event;
    billing.events.repaired({ accountId, requestId, charged, writtenOff });
    const done = { ...found, chargedNanoUsd: charged, writtenOffNanoUsd: writtenOff };
    await record(billing, done, actor);
    return done;
  }
  if (earlier !== undefined) await record(billing, earlier, actor);
  return found;
}
