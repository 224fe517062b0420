import { auditLogQuery, createTokenRequest, pageQuery } from "@uag/contract/requests/admin";
import { roleNames } from "./access.ts";
import type { AdminHandler } from "./admin.ts";
import { checkedBody, checkedQuery, pageOf } from "./check.ts";
import { listOf } from "./json.ts";
import { showAuditRecord, showToken } from "./show-account.ts";

export const createToken: AdminHandler = async ({ clients, actor, body }) => {
  const fields = checkedBody(createTokenRequest, body);
  const { token, secret } = await clients.admin.createAdminToken({
    name: fields.name,
    role: roleNames[fields.role],
    actor,
    accountId: fields.account_id ?? "",
    budgetId: fields.budget_id ?? "",
    expiresAtMs: fields.expires ?? 0n,
  });
  return { status: 201, body: { ...(token && showToken(token)), token: secret } };
};

export const listTokens: AdminHandler = async ({ clients, url }) => {
  const page = pageOf(checkedQuery(pageQuery, url));
  const { tokens, nextCursor } = await clients.admin.listAdminTokens({ page });
  return { body: listOf(tokens.map(showToken), nextCursor) };
};

export const revokeToken: AdminHandler = async ({ clients, actor, id: tokenId }) => ({
  body: showToken(await clients.admin.revokeAdminToken({ id: tokenId, actor })),
});

export const listAuditLog: AdminHandler = async ({ clients, url }) => {
  const { account = "", target = "", action = "", ...paging } = checkedQuery(auditLogQuery, url);
  const request = { accountId: account, targetId: target, action, page: pageOf(paging) };
  const { records, nextCursor } = await clients.admin.listAuditRecords(request);
  return { body: listOf(records.map(showAuditRecord), nextCursor) };
};
