import { adminEnvelopeListQuery } from "@uag/contract/requests/admin-envelopes";
import type { adminEnvelope } from "@uag/contract/responses/admin-envelopes";
import type { Shown } from "@uag/contract/responses/shown";
import type { Envelope } from "@uag/proto/billing/v1/envelopes.ts";
import { costsOf } from "../envelopes/costs.ts";
import { showEnvelope } from "../envelopes/show.ts";
import type { AdminHandler } from "./admin.ts";
import { checkedQuery, pageOf } from "./check.ts";
import { listOf } from "./json.ts";

/** Whose envelopes an administrator may see; `confine` limits a token of one account. */
const scopeOf = (accountId: string) => ({ accountId, keyId: "" });
const anywhere = scopeOf("");

const show = (envelope: Envelope): Shown<typeof adminEnvelope> => ({
  ...showEnvelope(envelope),
  account_id: envelope.accountId,
  root_key_id: envelope.rootKeyId,
});

export const listEnvelopes: AdminHandler = async ({ clients, url }) => {
  const { account = "", state, ...query } = checkedQuery(adminEnvelopeListQuery, url);
  const open = state === undefined ? undefined : state === "open";
  const request = { scope: scopeOf(account), page: pageOf(query), open };
  const { envelopes, nextCursor } = await clients.envelopes.listEnvelopes(request);
  return { body: listOf(envelopes.map(show), nextCursor) };
};

/** An envelope, and what it and those below it cost by model. */
export const getEnvelope: AdminHandler = async ({ clients, id }) => {
  const { envelope, below } = await clients.envelopes.getEnvelope({ scope: anywhere, id });
  if (envelope === undefined) throw new Error("billing returned no envelope");
  return { body: { ...show(envelope), costs: await costsOf(clients.metering, [envelope, ...below]) } };
};

export const closeEnvelope: AdminHandler = async ({ clients, actor, id }) => ({
  body: show(await clients.envelopes.closeEnvelope({ scope: anywhere, id, requestId: actor.requestId, actor })),
});
