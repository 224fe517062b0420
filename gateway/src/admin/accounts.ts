import { createAccountRequest, pageQuery, topUpRequest, updateAccountRequest } from "@uag/contract/requests/admin";
import { usdText } from "@uag/runtime/usd";
import type { AdminHandler } from "./admin.ts";
import { checkedBody, checkedQuery, pageOf } from "./check.ts";
import { listOf } from "./json.ts";
import { showAccount, showEntry } from "./show-account.ts";

export const createAccount: AdminHandler = async ({ clients, actor, body }) => {
  const { id = "", name: accountName } = checkedBody(createAccountRequest, body);
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
  const {
    keep_answers: keeps,
    lower_output_cap: lowersOutputCap,
    store_responses: storesResponses,
    ...fields
  } = checkedBody(updateAccountRequest, body);
  const settings = { lowersOutputCap, storesResponses, ...(keeps !== undefined && { keepsNoAnswers: !keeps }) };
  return { body: showAccount(await clients.admin.updateAccount({ id, ...fields, ...settings, actor })) };
};

/** Adds money, or withdraws available money; once per reference. */
export const topUp: AdminHandler = async ({ clients, actor, id, body }) => {
  const { amount_usd: amountNanoUsd, reference, note } = checkedBody(topUpRequest, body);
  const change = { accountId: id, amountNanoUsd, reference, note, actor };
  const account = await clients.accounts.topUp(change, { affinity: id });
  const amount = { amount_usd: usdText(amountNanoUsd), amount_nano_usd: amountNanoUsd };
  return { status: 201, body: { object: "top_up", reference, note, ...amount, account: showAccount(account) } };
};

export const accountLedger: AdminHandler = async ({ clients, id, url }) => {
  const page = pageOf(checkedQuery(pageQuery, url));
  await clients.accounts.getAccount({ id });
  const { entries, nextCursor } = await clients.ledger.listEntries({ accountId: id, requestId: "", page });
  return { body: listOf(entries.map(showEntry), nextCursor) };
};
