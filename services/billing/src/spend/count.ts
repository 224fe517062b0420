import type { CredentialSpendingDocument } from "@uag/ledger/documents/credential-spending";
import type { Store } from "@uag/ledger/documents/store";
import { credentialCharge } from "@uag/ledger/rules/credential-spend";
import type { Entry } from "@uag/proto/billing/v1/ledger.ts";
import { dayOf } from "@uag/runtime/utc-days";
import type { ClientSession } from "mongoose";

interface InSession {
  readonly store: Pick<Store, "credentialSpending">;
  readonly session: ClientSession;
}

/** Where the spending of a credential, a day and a holder is stored. */
export const credentialSpendingId = (provider: string, credentialId: string, day: string, holderId: string): string =>
  `${provider}/${credentialId}/${day}/${holderId}`;

type Charge = NonNullable<ReturnType<typeof credentialCharge>>;

/** Adds what new rows of the ledger spent with credentials, in the transaction that writes the rows. */
export async function countSpending(
  { store, session }: InSession,
  entries: readonly Pick<Entry, "event">[],
  nowMs: number,
): Promise<void> {
  const charges = new Map<string, Charge>();
  for (const { event } of entries) {
    const charge = event && credentialCharge(event);
    if (charge === undefined) continue;
    const id = credentialSpendingId(charge.provider, charge.credentialId, charge.day, charge.holderId);
    charges.set(id, { ...charge, spent: charge.spent + (charges.get(id)?.spent ?? 0n) });
  }
  if (charges.size === 0) return;
  const writes = [...charges].map(([id, { spent, ...of }]) => ({
    updateOne: {
      filter: { _id: id as never },
      update: { $inc: { spent }, $setOnInsert: { ...of, leased: 0n, sequence: 0n, at: new Date(nowMs) } },
      upsert: true,
    },
  }));
  await store.credentialSpending.collection.bulkWrite(writes, { session });
}

/** What a credential has spent, nano-USD. */
export interface Spent {
  readonly today: bigint;
  readonly thisMonth: bigint;
}

/** What each credential has spent, by `<provider>/<credential>`. @param nowMs Unix milliseconds */
export async function spentByCredential(
  { credentialSpending }: Pick<Store, "credentialSpending">,
  nowMs: number,
): Promise<ReadonlyMap<string, Spent>> {
  const today = dayOf(nowMs);
  const rows = await credentialSpending
    .find({ day: { $gte: `${today.slice(0, 7)}-01`, $lte: `${today.slice(0, 7)}-31` } })
    .lean<CredentialSpendingDocument[]>();
  const sums = new Map<string, Spent>();
  for (const { provider, credentialId, day, spent } of rows) {
    const id = `${provider}/${credentialId}`;
    const before = sums.get(id) ?? { today: 0n, thisMonth: 0n };
    sums.set(id, { today: before.today + (day === today ? spent : 0n), thisMonth: before.thisMonth + spent });
  }
  return sums;
}
