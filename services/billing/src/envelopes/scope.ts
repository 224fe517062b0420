import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { KeyDocument } from "@uag/ledger/documents/keys";
import type { Store } from "@uag/ledger/documents/store";
import type { EnvelopeScope } from "@uag/proto/billing/v1/envelopes.ts";
import type { ClientSession } from "mongoose";
import { keysBelow } from "../keys/below-budget.ts";
import type { EnvelopeBudget } from "./fields.ts";

/**
 * The key that calls.
 * @throws {GatewayError} `permission_denied` when the account has no such key, or it has ended
 */
export async function callingKey(
  { keys }: Pick<Store, "keys">,
  { accountId, keyId }: EnvelopeScope,
  { session, at }: { readonly session: ClientSession; readonly at: Date },
): Promise<KeyDocument> {
  const key = await keys.findOne({ _id: keyId, accountId, revokedAt: null }).session(session).lean<KeyDocument>();
  if (key !== null && (key.expiresAt === null || key.expiresAt > at)) return key;
  throw new GatewayError("permission_denied", "The key is revoked or has expired.");
}

/** Matches the envelopes that a key may see: those that it opened, or its own and those below. */
export const visibleTo = ({ _id, envelope }: KeyDocument) =>
  envelope === undefined ? { "envelope.rootKeyId": _id } : { chain: envelope.ids[0] as string };

/** Matches all envelopes. In this form the indexes of envelopes serve it. */
const anyEnvelope = { "envelope.rootKeyId": { $gt: "" } };

/** Matches the envelopes of a scope. @throws {GatewayError} `not_found` for an unknown key */
export async function inScope({ keys }: Pick<Store, "keys">, { accountId, keyId, budgetId = "" }: EnvelopeScope) {
  const ofAccount = accountId !== "" && { accountId };
  if (keyId === "" && budgetId !== "")
    return { ...ofAccount, "envelope.rootKeyId": { $in: await keysBelow({ keys }, budgetId) } };
  if (keyId === "") return { ...ofAccount, ...anyEnvelope };
  const key = await keys.findOne({ _id: keyId, accountId }).lean<KeyDocument>();
  if (key === null) throw new GatewayError("not_found", "The key does not exist.", { param: "key_id" });
  return { accountId, ...visibleTo(key) };
}

/** @throws {GatewayError} `invalid_request` without a scope */
export function required(scope: EnvelopeScope | undefined): EnvelopeScope {
  if (scope !== undefined) return scope;
  throw new GatewayError("invalid_request", "The scope is required.", { param: "scope" });
}

/** @throws {GatewayError} `not_found` */
export async function findEnvelope(
  { budgets }: Pick<Store, "budgets">,
  filter: Awaited<ReturnType<typeof inScope>>,
  { id, session = null, param = "id" }: { id: string; session?: ClientSession | null; param?: string },
): Promise<EnvelopeBudget> {
  const found = await budgets
    .findOne({ $and: [{ _id: id }, filter] })
    .session(session)
    .lean<EnvelopeBudget>();
  if (found === null) throw new GatewayError("not_found", "The envelope does not exist.", { param });
  return found;
}
