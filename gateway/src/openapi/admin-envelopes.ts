import { adminEnvelopeListQuery } from "@uag/contract/requests/admin-envelopes";
import { listOf } from "@uag/contract/responses/admin";
import { adminEnvelope, adminEnvelopeWithCosts } from "@uag/contract/responses/admin-envelopes";
import { admin } from "./admin-operation.ts";
import type { Operation } from "./operation.ts";

/** Documentation of the admin operations on envelopes. */
export const envelopes: Readonly<Record<string, Operation>> = {
  "admin.envelopes.list": admin(
    "Envelopes",
    "listEnvelopesOfAccounts",
    "Lists envelopes, newest first",
    ["EnvelopeList", listOf(adminEnvelope)],
    { query: adminEnvelopeListQuery },
  ),
  "admin.envelopes.get": admin(
    "Envelopes",
    "getEnvelopeOfAccount",
    "Shows an envelope, and what it and those below it cost by model",
    ["Envelope", adminEnvelopeWithCosts],
  ),
  "admin.envelopes.close": admin(
    "Envelopes",
    "closeEnvelopeOfAccount",
    "Closes an envelope and those below it, and revokes their keys",
    ["EnvelopeClosed", adminEnvelope],
  ),
};
