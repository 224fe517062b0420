import { GatewayError } from "@uag/contract/errors/gateway-error";
import { type LimitName, limitNames } from "@uag/contract/messages/billing";
import type { GrantDocument } from "@uag/ledger/documents/grants";
import { grantOf } from "@uag/ledger/documents/grants";
import type { KeyDocument } from "@uag/ledger/documents/keys";
import { type LimitPoolDocument, poolId, poolOf } from "@uag/ledger/documents/limit-pools";
import { oldSpendingId, type SpendingDocument, spendingId } from "@uag/ledger/documents/spending";
import { settlePool } from "@uag/ledger/permits/pool";
import { monthOf } from "@uag/ledger/rules/budget";
import { leftOf } from "@uag/ledger/rules/grant";
import type { BudgetUse, GetKeyUseRequest, KeyUseNow, LimitUse } from "@uag/proto/billing/v1/limits.ts";
import type { Billing } from "../billing.ts";
import { reportUse } from "../limits/report-use.ts";

const waitMs = 250;

const limitFields = {
  requests: "requestsPerMinute",
  tokens: "tokensPerMinute",
  concurrency: "concurrentRequests",
} as const satisfies Readonly<Record<LimitName, keyof KeyDocument["limits"]>>;

/** How many permits of a limit are in use or cooling down, at billing and at its holders. */
async function usedOf({ store, bus, clock }: Billing, keyId: string, limit: LimitName): Promise<number> {
  const found = await store.limitPools.findById(poolId(keyId, limit)).lean<LimitPoolDocument>();
  if (found === null) return 0;
  const { resting, loans } = settlePool(poolOf(found), clock.now());
  const lent = Object.entries(loans).filter(([, { held }]) => held > 0);
  const holders = lent.map(([id]) => id);
  const reported = lent.length === 0 ? new Map() : await reportUse(bus, { keyId, limit, holders, waitMs });
  const atHolders = lent.reduce((sum, [id, { held }]) => sum + (reported.get(id) ?? held), 0);
  return resting.reduce((sum, { count }) => sum + count, atHolders);
}

async function limitUse(billing: Billing, key: KeyDocument, name: LimitName): Promise<LimitUse | undefined> {
  const limit = key.limits[limitFields[name]];
  return limit === 0n ? undefined : { limit, used: BigInt(await usedOf(billing, key._id, name)) };
}

async function budgetUse({ store, clock }: Billing, key: KeyDocument): Promise<BudgetUse | undefined> {
  const { monthlyBudgetNanoUsd: limitNanoUsd } = key.limits;
  if (limitNanoUsd === 0n) return undefined;
  const now = new Date(clock.now());
  const month = monthOf(now.getTime());
  const ids = [spendingId(key.accountId, key._id, month), oldSpendingId(key._id, month)];
  const [spending, grants] = await Promise.all([
    store.spending.find({ _id: { $in: ids } }).lean<SpendingDocument[]>(),
    store.grants.find({ accountId: key.accountId, keyId: key._id, live: true }).lean<GrantDocument[]>(),
  ]);
  return {
    limitNanoUsd,
    spentNanoUsd: spending.reduce((sum, { charged }) => sum + charged, 0n),
    heldNanoUsd: grants.reduce((sum, grant) => sum + leftOf(grantOf(grant)), 0n),
    resetsAtMs: BigInt(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)),
  };
}

/** How much of its limits and its budget a key uses now. */
export async function getKeyUse(billing: Billing, { keyId }: GetKeyUseRequest): Promise<KeyUseNow> {
  const key = await billing.store.keys.findById(keyId).lean<KeyDocument>();
  if (key === null) throw new GatewayError("not_found", "The key does not exist.", { param: "key_id" });
  const [[requests, tokens, concurrency], budget] = await Promise.all([
    Promise.all(limitNames.map((name) => limitUse(billing, key, name))),
    budgetUse(billing, key),
  ]);
  return { accountId: key.accountId, requests, tokens, concurrency, budget };
}
