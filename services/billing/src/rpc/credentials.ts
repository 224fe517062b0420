import { hintOf } from "@uag/catalog/credential";
import { isDocument, secretOf } from "@uag/catalog/identity";
import { maxCredentials } from "@uag/catalog/provider-schema";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { credentialCaps, credentialShare } from "@uag/contract/requests/admin-providers";
import type { CatalogCredentialDocument } from "@uag/ledger/documents/catalog-overlay";
import type {
  CreateCredentialRequest,
  CredentialShare,
  DeleteCredentialRequest,
  ProviderCredential,
  UpdateCredentialRequest,
} from "@uag/proto/billing/v1/catalog.ts";
import type { Actor } from "@uag/proto/common/v1/actor.ts";
import { newId } from "@uag/runtime/ids";
import { z } from "zod";
import type { Billing } from "../billing.ts";
import { changeCatalog } from "../catalog/change.ts";
import { invalid } from "../catalog/entries.ts";
import { shareOf } from "../catalog/overlay.ts";
import { spentByCredential } from "../spend/count.ts";
import type { Transaction } from "../store/transaction.ts";
import { requireProvider, showCredential, writeProvider } from "./providers.ts";

/** A key is sent in a header, so it has visible ASCII characters only. */
const secretForm = /^[\x21-\x7e]{1,4096}$/;
/** Only variables that were made for this, so that no other secret of a service can be sent anywhere. */
const variableForm = /^PROVIDER_SECRET_[A-Z0-9_]{1,100}$/;
const maxNameLength = 200;
const shareSchema = z.object({ ...credentialShare, ...credentialCaps }).partial();

/** Where a provider's API key is: in the request, or in a variable. */
type Secret = Pick<CreateCredentialRequest, "value" | "variable">;

/** @throws {GatewayError} `invalid_request` */
function checkValue(value: string): void {
  const read = secretOf(value);
  if (typeof read === "string") throw invalid("api_key", `api_key: ${read}.`);
  if (!isDocument(value) && !secretForm.test(value))
    throw invalid("api_key", "An API key must have 1 to 4,096 visible characters without spaces.");
}

/** @throws {GatewayError} `invalid_request` */
function checkSecret({ value, variable }: Secret): void {
  if ((value === undefined) === (variable === undefined))
    throw invalid("api_key", "Set api_key, or variable with the name of a variable that has it.");
  if (value !== undefined) checkValue(value);
  if (variable !== undefined && !variableForm.test(variable))
    throw invalid("variable", "The variable's name must begin with PROVIDER_SECRET_, in upper case.");
}

/** @throws {GatewayError} `invalid_request` */
function check({ name, baseUrl, providerRevision }: CreateCredentialRequest): void {
  if (name.length > maxNameLength) throw invalid("name", "A credential's name can have at most 200 characters.");
  if (baseUrl !== undefined && providerRevision === undefined)
    throw invalid("revision", "To change base_url, set revision to the provider's revision that you read.");
}

/** The fields that a request sets. @throws {GatewayError} `invalid_request` */
function checkedShare(share: CredentialShare | undefined): Partial<ReturnType<typeof shareOf>> {
  const { weight, priority, account, dailyCapUsd, monthlyCapUsd } = share ?? {};
  const given = {
    ...(weight !== undefined && { weight }),
    ...(priority !== undefined && { priority }),
    ...(account !== undefined && { account }),
    ...(dailyCapUsd !== undefined && { dailyCapUsd }),
    ...(monthlyCapUsd !== undefined && { monthlyCapUsd }),
  };
  // 0 removes a cap.
  const caps = { daily_cap_usd: dailyCapUsd || undefined, monthly_cap_usd: monthlyCapUsd || undefined };
  const checked = shareSchema.safeParse({ weight, priority, account, ...caps });
  const [fault] = checked.error?.issues ?? [];
  if (fault !== undefined) throw invalid(fault.path.join("."), `${fault.path.join(".")}: ${fault.message}`);
  return given;
}

/** The snapshot for the audit log: everything but the secret. */
function snapshot(credential: CatalogCredentialDocument): string {
  const { provider, name, hint, variable, enabled } = credential;
  const key = variable === "" ? { hint } : { variable };
  return JSON.stringify({ provider, name, ...key, enabled, ...shareOf(credential) });
}

type NewCredential = Secret & { provider: string; name: string; enabled: boolean; share?: CredentialShare | undefined };

/**
 * A credential to be stored, encrypted.
 * @throws {GatewayError} `invalid_request`; `service_unavailable` without a key to encrypt it with
 */
export function newCredential(
  { credentials }: Billing,
  { provider, name, enabled, share, ...secret }: NewCredential,
  { at, actor }: { at: Date; actor: Actor | undefined },
): CatalogCredentialDocument {
  checkSecret(secret);
  const { value, variable = "" } = secret;
  const id = newId("cred");
  const sealed = value === undefined ? {} : credentials.seal(value, { _id: id, provider });
  const hint = value === undefined ? "" : hintOf(value);
  const about = { _id: id, provider, name, hint, variable, enabled, ...checkedShare(share) };
  return { ...about, ...sealed, revision: 1, createdAt: at, createdBy: actor?.name ?? "" };
}

/** Adds a credential, with the provider's address where the request has one. */
export async function createCredential(
  billing: Billing,
  request: CreateCredentialRequest,
): Promise<ProviderCredential> {
  check(request);
  const { provider, baseUrl, providerRevision: revision, actor } = request;
  checkSecret(request);
  await requireProvider(billing, provider);
  const { store } = billing;
  return await changeCatalog(billing, actor, async (transaction) => {
    const { session, at } = transaction;
    if ((await store.catalogCredentials.countDocuments({ provider }).session(session)) >= maxCredentials)
      throw invalid("id", `A provider can have at most ${maxCredentials} credentials. Delete one that is not used.`);
    const made = newCredential(billing, request, { at, actor });
    await store.catalogCredentials.create([made], { session });
    const address =
      baseUrl === undefined
        ? undefined
        : await writeProvider(billing, transaction, { name: provider, revision, baseUrl });
    const after = JSON.stringify({
      ...JSON.parse(snapshot(made)),
      ...(address && { provider_changed: JSON.parse(address.after) }),
    });
    const before = address?.before ?? "";
    return { result: showCredential(made), audit: { action: "credential.create", targetId: made._id, before, after } };
  });
}

async function find(
  { store }: Billing,
  { session }: Transaction,
  { id: _id, provider }: { readonly id: string; readonly provider: string },
): Promise<CatalogCredentialDocument> {
  const found = await store.catalogCredentials
    .findOne({ _id, provider })
    .session(session)
    .lean<CatalogCredentialDocument>();
  if (found === null) throw new GatewayError("not_found", "The credential does not exist.", { param: "credential" });
  return found;
}

/** Enables or disables a credential, or changes its share: new requests use all that are enabled. */
export async function updateCredential(
  billing: Billing,
  request: UpdateCredentialRequest,
): Promise<ProviderCredential> {
  const { id, revision, actor } = request;
  const share = checkedShare(request.share);
  return await changeCatalog(billing, actor, async (transaction) => {
    const before = await find(billing, transaction, request);
    if (revision !== BigInt(before.revision))
      throw new GatewayError("already_exists", "The credential was changed since you read it. Read it again.", {
        param: "revision",
      });
    const enabled = request.enabled ?? before.enabled;
    const changed = { ...share, enabled, revision: before.revision + 1 };
    const after = { ...before, ...changed };
    const set = { $set: changed };
    await billing.store.catalogCredentials.updateOne({ _id: id }, set, { session: transaction.session });
    const audit = { action: "credential.update", targetId: id, before: snapshot(before), after: snapshot(after) };
    return { result: showCredential(after, await spentBy(billing, after)), audit };
  });
}

const spentBy = async ({ store, clock }: Billing, { provider, _id }: CatalogCredentialDocument) =>
  (await spentByCredential(store, await clock.moment())).get(`${provider}/${_id}`);

/** Deletes a credential. Tasks that were created with it are polled with the one in use from then on. */
export async function deleteCredential(
  billing: Billing,
  request: DeleteCredentialRequest,
): Promise<ProviderCredential> {
  const { id, actor } = request;
  return await changeCatalog(billing, actor, async (transaction) => {
    const before = await find(billing, transaction, request);
    await billing.store.catalogCredentials.deleteOne({ _id: id }, { session: transaction.session });
    const audit = { action: "credential.delete", targetId: id, before: snapshot(before) };
    return { result: showCredential({ ...before, enabled: false }, await spentBy(billing, before)), audit };
  });
}
