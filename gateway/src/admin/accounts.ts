import { usdText } from "@uag/kit/usd.ts";
import { z } from "zod";
import type { AdminHandler } from "./admin.ts";
import { checkedBody, checkedQuery } from "./check.ts";
import { name, pageFields, pageOf, usd } from "./fields.ts";
import { listOf } from "./json.ts";
import { showAccount, showEntry } from "./show-account.ts";

const accountId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "An account id has 1 to 64 letters, digits, _ or -.");
export const create = z.strictObject({ id: accountId.optional(), name: name.default("") });
export const change = z.strictObject({
  name: name.optional(),
  keep_answers: z
    .boolean()
    .optional()
    .describe("Whether answers under an Idempotency-Key are stored; heeded within a minute."),
});
const maxTopUp = 1_000_000_000_000_000_000n;
export const topUpBody = z.strictObject({
  amount_usd: usd.refine(
    (nano) => nano !== 0n && nano <= maxTopUp && nano >= -maxTopUp,
    "The amount is not 0, and a billion USD at most.",
  ),
  reference: z.string().min(1).max(200),
  note: z.string().max(1_000).default(""),
});
export const pageQuery = z.strictObject(pageFields);

export const createAccount: AdminHandler = async ({ clients, actor, body }) => {
  const { id = "", name: accountName } = checkedBody(create, body);
  return { status: 201, body: showAccount(await clients.accounts.createAccount({ id, name: accountName, actor })) };
};

export const listAccounts: AdminHandler = async ({ clients, url }) => {
  const page = pageOf(checkedQuery(pageQuery, url));
  const { accounts, nextCursor } = await clients.accounts.listAccounts({ page });
  return { body: listOf(accounts.map(showAccount), nextCursor) };
};

export const getAccount: AdminHandler = async ({ clients, id }) => ({
  body: showAccount(await clients.accounts.getAccount({ id })),
});

export const updateAccount: AdminHandler = async ({ clients, actor, id, body }) => {
  const { keep_answers: keeps, ...names } = checkedBody(change, body);
  const settings = keeps === undefined ? {} : { keepsNoAnswers: !keeps };
  return { body: showAccount(await clients.admin.updateAccount({ id, ...names, ...settings, actor })) };
};

/** Adds money, or takes available money away; the same reference does so once. */
export const topUp: AdminHandler = async ({ clients, actor, id, body }) => {
  const { amount_usd: amountNanoUsd, reference, note } = checkedBody(topUpBody, body);
  const account = await clients.accounts.topUp({ accountId: id, amountNanoUsd, reference, note, actor });
  const amount = { amount_usd: usdText(amountNanoUsd), amount_nano_usd: amountNanoUsd };
  return { status: 201, body: { object: "top_up", reference, note, ...amount, account: showAccount(account) } };
};

export const accountLedger: AdminHandler = async ({ clients, id, url }) => {
  const page = pageOf(checkedQuery(pageQuery, url));
  await clients.accounts.getAccount({ id });
  const { entries, nextCursor } = await clients.ledger.listEntries({ accountId: id, requestId: "", page });
  return { body: listOf(entries.map(showEntry), nextCursor) };
};
