import type { envelope as envelopeResponse, envelopeStates } from "@uag/contract/responses/envelopes";
import type { Shown } from "@uag/contract/responses/shown";
import type { Envelope } from "@uag/proto/billing/v1/envelopes.ts";
import { usdText } from "@uag/runtime/usd";
import { timeText } from "../admin/json.ts";

export function statusOf({ open, closedAtMs }: Envelope): (typeof envelopeStates)[number] {
  if (open) return "open";
  return closedAtMs > 0n ? "closed" : "expired";
}

/** An envelope as clients see it. */
export function showEnvelope(envelope: Envelope): Shown<typeof envelopeResponse> {
  const { amountNanoUsd: amount, spentNanoUsd: spent, heldNanoUsd: held, open } = envelope;
  const left = amount - spent - held;
  return {
    id: envelope.id,
    object: "envelope",
    name: envelope.name,
    parent: envelope.parentId || null,
    key_id: envelope.keyId,
    status: statusOf(envelope),
    max_usd: usdText(amount),
    spent_usd: usdText(spent),
    reserved_usd: usdText(held),
    remaining_usd: usdText(open && left > 0n ? left : 0n),
    models: envelope.models,
    created_at: timeText(envelope.createdAtMs) ?? "",
    expires_at: timeText(envelope.expiresAtMs) ?? "",
    closed_at: timeText(envelope.closedAtMs),
  };
}
