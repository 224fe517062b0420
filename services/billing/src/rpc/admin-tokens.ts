import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { AdminTokenDocument } from "@uag/ledger/documents/admin-tokens";
import { readPage, toPageById } from "@uag/mongo/paging";
import {
  AdminRole,
  type AdminToken,
  type CreateAdminTokenRequest,
  type CreateAdminTokenResponse,
  type ListAdminTokensRequest,
  type ListAdminTokensResponse,
  type ResolveAdminTokenRequest,
  type RevokeAdminTokenRequest,
} from "@uag/proto/billing/v1/admin.ts";
import { digestKey } from "@uag/runtime/api-key";
import { newId, randomText } from "@uag/runtime/ids";
import { recordChange } from "../audit/record.ts";
import { tokenSnapshot as snapshot } from "../audit/snapshot.ts";
import type { Billing } from "../billing.ts";

const maxNameLength = 200;
const maxPrevious = 8;
/** Of 62 letters and digits: 238 bits. */
const secretLength = 40;

const tokenMessage = (token: AdminTokenDocument): AdminToken => ({
  id: token._id,
  name: token.name,
  hint: token.hint,
  createdAtMs: BigInt(token.createdAt.getTime()),
  revokedAtMs: BigInt(token.revokedAt?.getTime() ?? 0),
  // Tokens created before roles existed keep full rights.
  role: token.role ?? AdminRole.OPERATOR,
  accountId: token.accountId ?? "",
  budgetId: token.budgetId ?? "",
  expiresAtMs: BigInt(token.expiresAt?.getTime() ?? 0),
});

const hasEnded = ({ expiresAt }: AdminTokenDocument, nowMs: number): boolean =>
  (expiresAt?.getTime() ?? Infinity) <= nowMs;

/**
 * The router's lookup. @throws {GatewayError} `not_found`, also when the token is revoked or
 * expired
 */
export async function resolveAdminToken(billing: Billing, request: ResolveAdminTokenRequest): Promise<AdminToken> {
  const digest = { $in: [request.digest, ...request.previousDigests.slice(0, maxPrevious)] };
  const token = await billing.store.adminTokens.findOne({ digest, revokedAt: null }).lean<AdminTokenDocument>();
  if (token === null || hasEnded(token, await billing.clock.moment()))
    throw new GatewayError("not_found", "The admin token does not exist.");
  return tokenMessage(token);
}

/** @throws {GatewayError} `invalid_request`; `not_found` when the account or its budget does not exist */
async function check({ store, clock }: Billing, request: CreateAdminTokenRequest): Promise<void> {
  const { name, accountId = "", budgetId = "", expiresAtMs = 0n } = request;
  if (name === "" || name.length > maxNameLength) {
    throw new GatewayError("invalid_request", "A token's name must have 1 to 200 characters.", { param: "name" });
  }
  if (expiresAtMs !== 0n && expiresAtMs <= BigInt(await clock.moment())) {
    throw new GatewayError("invalid_request", "The token's expiry must be in the future.", { param: "expires_at_ms" });
  }
  if (accountId !== "" && (await store.accounts.exists({ _id: accountId })) === null) {
    throw new GatewayError("not_found", "The account does not exist.", { param: "account_id" });
  }
  if (budgetId === "") return;
  if (accountId === "") {
    const text = "A token that is limited to a budget must name the budget's account.";
    throw new GatewayError("invalid_request", text, { param: "account_id" });
  }
  const budget = { _id: budgetId, accountId, deletedAt: null, envelope: null };
  if ((await store.budgets.exists(budget)) === null) {
    throw new GatewayError("not_found", "The account has no budget with this id.", { param: "budget_id" });
  }
}

/** Creates an admin token. Its secret is returned here and nowhere else. */
export async function createAdminToken(
  billing: Billing,
  request: CreateAdminTokenRequest,
): Promise<CreateAdminTokenResponse> {
  await check(billing, request);
  const { store, settings } = billing;
  const { name, actor, role = AdminRole.UNSPECIFIED, accountId = "", budgetId = "", expiresAtMs = 0n } = request;
  const secret = `adm-${randomText(secretLength)}`;
  const pepper = settings.peppers.current;
  const tokenAt = (createdAt: Date): AdminTokenDocument => ({
    _id: newId("admtok"),
    name,
    hint: `adm-…${secret.slice(-4)}`,
    accountId,
    budgetId,
    digest: digestKey(secret, pepper.secret),
    pepperId: pepper.id,
    createdAt,
    revokedAt: null,
    role: role === AdminRole.UNSPECIFIED ? AdminRole.OPERATOR : role,
    expiresAt: expiresAtMs === 0n ? null : new Date(Number(expiresAtMs)),
  });
  const token = await billing.transact(async (transaction) => {
    const created = tokenAt(transaction.at);
    await store.adminTokens.create([created], { session: transaction.session });
    const after = snapshot(created);
    await recordChange(store, transaction, { actor, action: "admin_token.create", targetId: created._id, after });
    return created;
  });
  billing.events.adminTokenChanged({ tokenId: token._id, change: "created" });
  return { token: tokenMessage(token), secret };
}

/** Admin tokens, newest first, revoked ones included. */
export async function listAdminTokens(
  billing: Billing,
  request: ListAdminTokensRequest,
): Promise<ListAdminTokensResponse> {
  const { limit, after } = readPage(request.page);
  const found = await billing.store.adminTokens
    .find(after === "" ? {} : { _id: { $lt: after } })
    .sort({ _id: -1 })
    .limit(limit + 1)
    .lean<AdminTokenDocument[]>();
  const { rows, nextCursor } = toPageById(found, limit, (token) => token._id);
  return { tokens: rows.map(tokenMessage), nextCursor };
}

/** Revokes an admin token; revoking it again changes nothing. */
export async function revokeAdminToken(billing: Billing, { id, actor }: RevokeAdminTokenRequest): Promise<AdminToken> {
  const { store } = billing;
  const token = await billing.transact(async (transaction) => {
    const { session, at } = transaction;
    const before = await store.adminTokens.findById(id).session(session).lean<AdminTokenDocument>();
    if (before === null) throw new GatewayError("not_found", "The admin token does not exist.", { param: "id" });
    if (before.revokedAt !== null) return before;
    const after = { ...before, revokedAt: at };
    await store.adminTokens.updateOne({ _id: id }, { $set: { revokedAt: after.revokedAt } }, { session });
    const change = { actor, action: "admin_token.revoke", targetId: id };
    await recordChange(store, transaction, { ...change, before: snapshot(before), after: snapshot(after) });
    return after;
  });
  billing.events.adminTokenChanged({ tokenId: id, change: "revoked" });
  return tokenMessage(token);
}
