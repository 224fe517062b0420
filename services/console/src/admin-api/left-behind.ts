import { z } from "zod";
import type { Person } from "../people/person.ts";
import type { UserDocument } from "../store/users.ts";
import type { AdminApi } from "./client.ts";
import { type DelegatedCredentials, makerField, purposeField, tokenNameOf } from "./credentials.ts";

const page = z.looseObject({ data: z.array(z.unknown()), next_cursor: z.string().nullable() });
const key = z.looseObject({
  id: z.string(),
  account_id: z.string(),
  key_alias: z.string(),
  hint: z.string(),
  metadata: z.record(z.string(), z.unknown()),
  created_at: z.string().nullable(),
  expires: z.string().nullable(),
});
const token = z.looseObject({
  id: z.string(),
  name: z.string(),
  hint: z.string(),
  created_at: z.string().nullable(),
  expires: z.string().nullable(),
  revoked_at: z.string().nullable(),
});
const auditRow = z.looseObject({ actor: z.looseObject({ name: z.string() }) });

/** A key or an admin token that a person has created and that still works. */
export interface LiveCredential {
  readonly kind: "key" | "admin_token";
  readonly id: string;
  readonly name: string;
  readonly hint: string;
  readonly account_id: string | null;
  /** ISO 8601. */
  readonly created_at: string | null;
}

const pageLimit = 1_000;

export interface LeftBehindParts {
  readonly api: AdminApi;
  readonly credentials: DelegatedCredentials;
}

/** All rows of a listing of the admin API. */
async function* rowsOf(api: AdminApi, bearer: string, path: string, query: Record<string, string> = {}) {
  for (let after = ""; ; ) {
    const fields = new URLSearchParams({ limit: String(pageLimit), ...query, ...(after !== "" && { after }) });
    const { data, next_cursor: next } = page.parse(
      await api.call(bearer, { method: "GET", path: `${path}?${fields}` }),
    );
    yield* data;
    if (next === null) return;
    after = next;
  }
}

const isLive = ({ expires }: { readonly expires: string | null }): boolean =>
  expires === null || Date.parse(expires) > Date.now();

/** The live keys that a person has created, those of the playground apart. */
async function keysOf(api: AdminApi, bearer: string, { _id, accountId }: UserDocument): Promise<LiveCredential[]> {
  const found: LiveCredential[] = [];
  const query: Record<string, string> = accountId === null ? {} : { account: accountId };
  for await (const row of rowsOf(api, bearer, "/keys", query)) {
    const { id, account_id, key_alias: name, hint, metadata, created_at, expires } = key.parse(row);
    if (metadata[makerField] !== _id || metadata[purposeField] !== undefined || !isLive({ expires })) continue;
    found.push({ kind: "key", id, name, hint, account_id, created_at });
  }
  return found;
}

/**
 * The live admin tokens that an operator has created, by the audit log's rows about them. The
 * console's own short-lived tokens end with their sessions.
 */
async function tokensOf(api: AdminApi, bearer: string, { email }: UserDocument): Promise<LiveCredential[]> {
  const found: LiveCredential[] = [];
  for await (const row of rowsOf(api, bearer, "/tokens")) {
    const { id, name, hint, created_at, revoked_at, ...times } = token.parse(row);
    if (revoked_at !== null || !isLive(times) || name.startsWith(tokenNameOf(""))) continue;
    const query = new URLSearchParams({ target: id, action: "admin_token.create", limit: "1" });
    const made = page
      .parse(await api.call(bearer, { method: "GET", path: `/audit-log?${query}` }))
      .data.map((one) => auditRow.parse(one));
    if (made[0]?.actor.name === tokenNameOf(email))
      found.push({ kind: "admin_token", id, name, hint, account_id: null, created_at });
  }
  return found;
}

/**
 * The keys and admin tokens that a user created and that would keep working after their removal.
 * @param manager who asks; an owner sees those of the own account
 */
export async function leftBehindBy(
  { api, credentials }: LeftBehindParts,
  manager: Person,
  user: UserDocument,
): Promise<LiveCredential[]> {
  const isOperator = manager.user.role === "operator";
  const bearer = await credentials.token(manager, isOperator ? "operator" : "keys");
  const keys = await keysOf(api, bearer, user);
  return isOperator && user.role === "operator" ? [...keys, ...(await tokensOf(api, bearer, user))] : keys;
}

/**
 * Revokes credentials in the name of the manager.
 * @throws {GatewayError} for the first that fails
 */
export async function revokeLeftBehind(
  { api, credentials }: LeftBehindParts,
  manager: Person,
  left: readonly LiveCredential[],
): Promise<void> {
  const bearer = await credentials.token(manager, manager.user.role === "operator" ? "operator" : "keys");
  for (const { kind, id } of left)
    await api.call(bearer, { method: "DELETE", path: kind === "key" ? `/keys/${id}` : `/tokens/${id}` });
}
