import type { ApplyRepairsRequest, ApplyRepairsResponse, RepairedEvent } from "@uag/proto/metering/v1/admin.ts";
import { pricingToJSON, type UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { monthOf, type Partition } from "@uag/usage/documents/months";
import type { mongo } from "mongoose";
import { addRollups } from "../apply/apply.ts";
import { rollUp } from "../apply/rollup.ts";
import type { Store } from "../store/store.ts";

type Repair = RepairedEvent & { event: UsageEvent };

async function applyOne(
  store: Store,
  { repair, partitions }: { repair: Repair; partitions: readonly Partition[] },
  session: mongo.ClientSession,
): Promise<boolean> {
  const { event, writtenOffNanoUsd, chargedNanoUsd } = repair;
  const { requestId, costNanoUsd, priceVersion, pricing } = event;
  const added = chargedNanoUsd === undefined ? costNanoUsd : chargedNanoUsd + writtenOffNanoUsd;
  if ((await store.repairs.findOne({ _id: requestId }, { session })) !== null) return false;
  await store.repairs.insertOne({ _id: requestId, appliedAt: new Date() }, { session });
  const set = { costNanoUsd, priceVersion, pricing: pricingToJSON(pricing) };
  for (const { closed, rows } of partitions)
    if (!closed) await rows.updateOne({ _id: requestId }, { $set: set }, { session });
  // The request, its units, its outcome and its provisional charge are counted already.
  const rows = rollUp([{ ...event, costNanoUsd: added, units: [] }], new Map([[requestId, writtenOffNanoUsd]]));
  await addRollups(
    store,
    rows.map(({ failures: _failures, latency: _latency, firstByte: _firstByte, ...row }) => ({ ...row, requests: 0n })),
    session,
  );
  return true;
}

/** Partitions that may hold the request's event. */
function partitionsOf(all: readonly Partition[], { startedAtMs }: UsageEvent): Partition[] {
  const own = monthOf(new Date(Number(startedAtMs)));
  return all.filter(({ month = own }) => month === own);
}

/**
 * Corrects the cost of requests that had no price when they were applied; each once, even when its
 * raw event has expired.
 */
export async function applyRepairs(store: Store, request: ApplyRepairsRequest): Promise<ApplyRepairsResponse> {
  let applied = 0;
  for (const repair of request.repairs) {
    const { event } = repair;
    if (event === undefined) continue;
    const partitions = partitionsOf(await store.partitions.list(), event);
    let isNew = false;
    await store.transact(async (session) => {
      isNew = await applyOne(store, { repair: { ...repair, event }, partitions }, session);
    });
    if (isNew) applied++;
  }
  return { applied };
}
