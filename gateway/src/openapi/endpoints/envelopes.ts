import { closeEnvelopeRequest, createEnvelopeRequest, envelopeListQuery } from "@uag/contract/requests/envelopes";
import { envelope, envelopeList, envelopeWithCosts, newEnvelope } from "@uag/contract/responses/envelopes";
import type { Operation } from "../operation.ts";

export const tags = {
  Envelopes:
    "Keys with an amount of their own for agents. Each request of such a key is held within its envelope, the envelopes above it, and the limits, budgets and balance of the key that opened it.",
};

export const endpoints = {
  "envelopes.create": {
    id: "createEnvelope",
    tag: "Envelopes",
    summary: "Opens an envelope, with a key of its own",
    request: { CreateEnvelopeRequest: createEnvelopeRequest },
    ok: { json: { NewEnvelope: newEnvelope } },
    status: 201,
    errors: ["permission_denied"],
    examples: [
      {
        name: "agent",
        summary: "Half a dollar for an hour, and one model",
        body: { max_usd: 0.5, ttl: 3_600, models: ["gpt-4o-mini"], name: "researcher" },
      },
    ],
  },
  "envelopes.list": {
    id: "listEnvelopes",
    tag: "Envelopes",
    summary: "Lists the envelopes that the key opened; for the key of an envelope, it and those below",
    ok: { json: { EnvelopeList: envelopeList } },
    query: envelopeListQuery.shape,
    examples: [{ name: "page", summary: "The newest envelopes", query: { limit: "2" } }],
  },
  "envelopes.get": {
    id: "getEnvelope",
    tag: "Envelopes",
    summary: "Shows an envelope, and what it and those below it cost by model",
    ok: { json: { EnvelopeWithCosts: envelopeWithCosts } },
  },
  "envelopes.close": {
    id: "closeEnvelope",
    tag: "Envelopes",
    summary: "Closes an envelope and those below it, and revokes their keys",
    request: { CloseEnvelopeRequest: closeEnvelopeRequest },
    bodyIsOptional: true,
    ok: { json: { Envelope: envelope } },
  },
} satisfies Readonly<Record<string, Operation>>;
