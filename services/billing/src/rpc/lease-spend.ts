import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { CredentialSpendingDocument } from "@uag/ledger/documents/credential-spending";
import { spendLease } from "@uag/ledger/rules/credential-spend";
import { maxAmount } from "@uag/ledger/rules/money";
import type { LeaseSpendRequest, LeaseSpendResponse } from "@uag/proto/billing/v1/grants.ts";
import { dayAfter, isDay, startOf } from "@uag/runtime/utc-days";
import type { Billing } from "../billing.ts";
import { credentialSpendingId } from "../spend/count.ts";
import type { Transaction } from "../store/transaction.ts";

const namePattern = /^[^\n\r\0/]{1,200}$/;
const isAmount = (value: bigint): boolean => value >= 0n && value <= maxAmount;

/** @throws {GatewayError} `invalid_request` */
function check({ day, ...request }: LeaseSpendRequest): void {
  const checks = {
    holder_id: namePattern.test(request.holderId),
    provider: namePattern.test(request.provider),
    credential_id: namePattern.test(request.credentialId),
    day: isDay(day),
    least_nano_usd: isAmount(request.leastNanoUsd),
    want_nano_usd: isAmount(request.wantNanoUsd),
  };
  for (const [param, valid] of Object.entries(checks))
    if (!valid) throw new GatewayError("invalid_request", undefined, { param });
}

/** @returns unix milliseconds */
function endOf(day: string, isDaily: boolean): number {
  if (isDaily) return startOf(dayAfter(day));
  const at = new Date(startOf(day));
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1);
}

/** @throws {GatewayError} `permission_denied`: a fenced holder's requests are settled by others, and their leases end */
async function requireAlive({ store, events }: Billing, { session }: Transaction, holderId: string): Promise<void> {
  if ((await store.holders.exists({ _id: holderId, state: "alive" }).session(session)) !== null) return;
  events.fenced(holderId);
  throw new GatewayError("permission_denied", "This holder was fenced. Start a new holder session.", {
    param: "holder_id",
  });
}

/**
 * Leases a part of what a credential may still spend. What is leased counts as spent until the
 * holder gives it back, or has ended and is settled; so all holders together never have more than
 * the cap leaves.
 */
export async function leaseSpend(billing: Billing, request: LeaseSpendRequest): Promise<LeaseSpendResponse> {
  check(request);
  const { store, register, transact } = billing;
  const { holderId, provider, credentialId, day, sequence, leastNanoUsd: least, wantNanoUsd: want } = request;
  await register(holderId);
  const id = credentialSpendingId(provider, credentialId, day, holderId);
  return await transact(async (transaction) => {
    const { session, at } = transaction;
    await store.credentialLeases.updateOne(
      { _id: `${provider}/${credentialId}` },
      { $inc: { leases: 1 } },
      { upsert: true, session },
    );
    await requireAlive(billing, transaction, holderId);
    const month = day.slice(0, 7);
    const rows = await store.credentialSpending
      .find({ provider, credentialId, day: { $gte: `${month}-01`, $lte: `${month}-31` } })
      .session(session)
      .lean<CredentialSpendingDocument[]>();
    const { dailyCapNanoUsd: daily, monthlyCapNanoUsd: monthly } = request;
    const { leased, isLate, isDaily } = spendLease(rows, { holderId, day, sequence, least, want, daily, monthly });
    if (isLate) return { leasedNanoUsd: leased, untilMs: 0n };
    await store.credentialSpending.updateOne(
      { _id: id },
      { $set: { leased, sequence }, $setOnInsert: { provider, credentialId, day, holderId, spent: 0n, at } },
      { upsert: true, session },
    );
    return { leasedNanoUsd: leased, untilMs: leased < want ? BigInt(endOf(day, isDaily)) : 0n };
  });
}
