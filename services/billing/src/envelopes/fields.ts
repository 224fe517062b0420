import { GatewayError } from "@uag/contract/errors/gateway-error";
import { type BudgetDocument, type EnvelopeDocument, envelopeEnd } from "@uag/ledger/documents/budgets";
import type { KeyDocument } from "@uag/ledger/documents/keys";
import type { Envelope } from "@uag/proto/billing/v1/envelopes.ts";
import type { Billing } from "../billing.ts";
import { countedLevel, levelUses } from "../store/budgets.ts";

/** The budget of an envelope. */
export interface EnvelopeBudget extends BudgetDocument {
  readonly envelope: EnvelopeDocument;
}

/** Whether it accepts requests, and envelopes below it. */
export const isOpen = ({ envelope }: EnvelopeBudget, at: Date): boolean => envelopeEnd(envelope) > at.getTime();

/** The key of an envelope is fixed. @throws {GatewayError} `invalid_request` for one */
export function refuseEnvelopeKey({ envelope }: KeyDocument): void {
  if (envelope === undefined) return;
  const text = "The key of an envelope cannot be changed. Close the envelope and open another one.";
  throw new GatewayError("invalid_request", text, { param: "id" });
}

/** What an envelope was opened with, for the audit log. */
export function envelopeSnapshot({ name, chain, amount, envelope }: EnvelopeBudget, models: readonly string[]): string {
  return JSON.stringify({
    name,
    parent_id: chain[1] ?? null,
    max_usd_nano: Number(amount),
    models,
    key_id: envelope.keyId,
    root_key_id: envelope.rootKeyId,
    expires_at: envelope.expiresAt,
  });
}

/** Envelopes with what counts against them now. */
export async function envelopeMessages(
  { store, clock }: Pick<Billing, "store" | "clock">,
  envelopes: readonly EnvelopeBudget[],
): Promise<Envelope[]> {
  const nowMs = clock.now();
  const levels = envelopes.map((each) => countedLevel(each));
  const useOf = await levelUses({ store, session: null }, levels, nowMs);
  const keys = await store.keys
    .find({ _id: { $in: envelopes.map(({ envelope }) => envelope.keyId) } }, { models: 1 })
    .lean<Pick<KeyDocument, "_id" | "models">[]>();
  const models = new Map(keys.map((key) => [key._id, key.models]));
  return envelopes.map((budget) => {
    const { _id: id, accountId, name, chain, amount, createdAt, envelope } = budget;
    return {
      id,
      accountId,
      keyId: envelope.keyId,
      rootKeyId: envelope.rootKeyId,
      parentId: chain[1] ?? "",
      name,
      models: models.get(envelope.keyId) ?? [],
      amountNanoUsd: amount,
      ...useOf(id),
      createdAtMs: BigInt(createdAt.getTime()),
      expiresAtMs: BigInt(envelope.expiresAt.getTime()),
      closedAtMs: BigInt(envelope.closedAt?.getTime() ?? 0),
      open: isOpen(budget, new Date(nowMs)),
    };
  });
}
