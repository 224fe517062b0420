import { z } from "zod";
import { type RoleName, roleNames } from "./access.ts";
import type { AdminHandler } from "./admin.ts";
import { checkedBody, checkedQuery } from "./check.ts";
import { expires, id, name, pageFields, pageOf } from "./fields.ts";
import { listOf } from "./json.ts";
import { showAuditRecord, showToken } from "./show-account.ts";

const roles = Object.keys(roleNames) as [RoleName, ...RoleName[]];
export const create = z.strictObject({
  name: name.min(1, "A token has a name."),
  role: z.enum(roles, `A role is ${roles.join(", ")}.`).default("operator"),
  account_id: id.nullable().optional(),
  expires: expires.optional(),
});
export const tokenQuery = z.strictObject(pageFields);
export const auditQuery = z.strictObject({
  ...pageFields,
  account: id.optional(),
  target: id.optional(),
  action: z
    .string()
    .regex(/^[a-z_.]{1,64}$/, "An action is such as key.update.")
    .optional(),
});

export const createToken: AdminHandler = async ({ clients, actor, body }) => {
  const fields = checkedBody(create, body);
  const { token, secret } = await clients.admin.createAdminToken({
    name: fields.name,
    role: roleNames[fields.role],
    actor,
    accountId: fields.account_id ?? "",
    expiresAtMs: fields.expires ?? 0n,
  });
  return { status: 201, body: { ...(token && showToken(token)), token: secret } };
};

export const listTokens: AdminHandler = async ({ clients, url }) => {
  const page = pageOf(checkedQuery(tokenQuery, url));
  const { tokens, nextCursor } = await clients.admin.listAdminTokens({ page });
  return { body: listOf(tokens.map(showToken), nextCursor) };
};

export const revokeToken: AdminHandler = async ({ clients, actor, id: tokenId }) => ({
  body: showToken(await clients.admin.revokeAdminToken({ id: tokenId, actor })),
});

export const listAuditLog: AdminHandler = async ({ clients, url }) => {
  const { account = "", target = "", action = "", ...paging } = checkedQuery(auditQuery, url);
  const request = { accountId: account, targetId: target, action, page: pageOf(paging) };
  const { records, nextCursor } = await clients.admin.listAuditRecords(request);
  return { body: listOf(records.map(showAuditRecord), nextCursor) };
};
