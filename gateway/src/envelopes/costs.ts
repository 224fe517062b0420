import type { envelopeWithCosts } from "@uag/contract/responses/envelopes";
import type { Shown } from "@uag/contract/responses/shown";
import type { Envelope } from "@uag/proto/billing/v1/envelopes.ts";
import type { MeteringServiceServer, UsageBucket } from "@uag/proto/metering/v1/metering.ts";
import type { RpcClient } from "@uag/runtime/rpc/client";
import { usdText } from "@uag/runtime/usd";
import { statusOf } from "./show.ts";

const timeoutMs = 10_000;
const dayMs = 86_400_000n;
const pageSize = 1_000;
/** A hundred keys with a hundred models on thirty days are fewer. */
const maxPages = 1_000;

/** Where costs are read. */
export type CostSource = Pick<RpcClient<MeteringServiceServer>, "queryUsage">;

type Costs = Shown<typeof envelopeWithCosts>["costs"];

async function bucketsOf(metering: CostSource, envelopes: readonly Envelope[]): Promise<UsageBucket[]> {
  const [first] = envelopes;
  if (first === undefined) return [];
  const { accountId, createdAtMs } = first;
  const filter = {
    accountId,
    keyId: "",
    keys: { ids: envelopes.map(({ keyId }) => keyId) },
    model: "",
    operation: "",
    fromMs: createdAtMs - (createdAtMs % dayMs),
    untilMs: 0n,
  };
  const buckets: UsageBucket[] = [];
  let cursor = "";
  for (let page = 0; page < maxPages; page++) {
    const response = await metering.queryUsage(
      { filter, bucket: "day", page: { limit: pageSize, cursor } },
      { timeoutMs },
    );
    buckets.push(...response.buckets);
    cursor = response.nextCursor;
    if (cursor === "") return buckets;
  }
  throw new Error(`the usage of the envelope ${first.id} has more than ${maxPages} pages`);
}

/** What was charged, nano-USD: an envelope does not count write-offs either. */
const chargedOf = (bucket: UsageBucket): bigint => bucket.costNanoUsd - (bucket.writtenOffNanoUsd ?? 0n);

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((all, amount) => all + amount, 0n);

function modelsOf(buckets: readonly UsageBucket[]) {
  return [...Map.groupBy(buckets, ({ model }) => model)].map(([model, ofModel]) => ({
    model,
    requests: Number(sum(ofModel.map(({ requests }) => requests))),
    cost_usd: usdText(sum(ofModel.map(chargedOf))),
  }));
}

/** What an envelope, which comes first, and those below it cost by envelope and model. */
export async function costsOf(metering: CostSource, envelopes: readonly Envelope[]): Promise<Costs> {
  const byKey = Map.groupBy(await bucketsOf(metering, envelopes), ({ keyId }) => keyId);
  const own = new Map(envelopes.map(({ id, keyId }) => [id, sum((byKey.get(keyId) ?? []).map(chargedOf))]));
  const totals = new Map(own);
  // Those below were created later, and are added to the ones above them first.
  for (const { id, parentId } of envelopes.slice(1).toReversed())
    totals.set(parentId, (totals.get(parentId) ?? 0n) + (totals.get(id) ?? 0n));
  return {
    total_usd: usdText(sum([...own.values()])),
    envelopes: envelopes.map((envelope) => ({
      id: envelope.id,
      parent: envelope.parentId || null,
      name: envelope.name,
      key_id: envelope.keyId,
      status: statusOf(envelope),
      own_usd: usdText(own.get(envelope.id) ?? 0n),
      total_usd: usdText(totals.get(envelope.id) ?? 0n),
      models: modelsOf(byKey.get(envelope.keyId) ?? []),
    })),
  };
}
