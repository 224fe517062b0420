import { hash, randomBytes } from "node:crypto";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { EnvelopeOpening } from "@uag/ledger/documents/budgets";
import type { Store } from "@uag/ledger/documents/store";
import { CreateEnvelopeRequest } from "@uag/proto/billing/v1/envelopes.ts";
import { deriveKey } from "@uag/runtime/api-key";
import type { ClientSession } from "mongoose";
import type { Billing } from "../billing.ts";
import type { EnvelopeBudget } from "./fields.ts";

type Peppers = Billing["settings"]["peppers"];

const saltBytes = 32;

/** What stays of a request that opens an envelope; undefined without an idempotency key. */
export function openingOf(request: CreateEnvelopeRequest, peppers: Peppers): EnvelopeOpening | undefined {
  const { idempotencyKey = "", scope } = request;
  if (idempotencyKey === "") return undefined;
  const fields = CreateEnvelopeRequest.encode({ ...request, requestId: "", idempotencyKey: undefined }).finish();
  return {
    id: `${scope?.keyId}/${hash("sha256", idempotencyKey)}`,
    digest: hash("sha256", fields, "buffer"),
    pepperId: peppers.current.id,
    salt: randomBytes(saltBytes),
  };
}

/** The envelope's key, which is stored nowhere. @throws {GatewayError} when its pepper was removed since */
export function secretOf({ pepperId, salt }: EnvelopeOpening, peppers: Peppers): string {
  const pepper = peppers.all.find(({ id }) => id === pepperId);
  if (pepper === undefined) throw new GatewayError("idempotency_result_lost");
  return deriveKey(pepper.secret, salt);
}

/**
 * The envelope that an earlier request with this idempotency key opened; undefined: none did.
 * @throws {GatewayError} `idempotency_key_reuse` when that request had other fields
 */
export async function openedBefore(
  { budgets }: Pick<Store, "budgets">,
  { id, digest }: EnvelopeOpening,
  session: ClientSession,
): Promise<(EnvelopeBudget & { readonly envelope: { readonly opening: EnvelopeOpening } }) | undefined> {
  const found = await budgets.findOne({ "envelope.opening.id": id }).session(session).lean<EnvelopeBudget>();
  const opening = found?.envelope.opening;
  if (found === null || opening === undefined) return undefined;
  if (!digest.equals(opening.digest)) throw new GatewayError("idempotency_key_reuse");
  return { ...found, envelope: { ...found.envelope, opening } };
}
