import { geminiModelListQuery } from "@uag/contract/requests/generate-content";
import { modelListQuery } from "@uag/contract/requests/queries";
import { billingUsageQuery } from "@uag/contract/requests/usage";
import { subscription, usage } from "@uag/contract/responses/billing";
import { model, modelList } from "@uag/contract/responses/chat";
import { signedReceipt } from "@uag/contract/responses/receipts";
import type { Operation } from "../operation.ts";

const dayMs = 86_400_000;
const dayOf = (distance: number): string => new Date(Date.now() + distance * dayMs).toISOString().slice(0, 10);

export const tags = {
  Models: "The key's models, their capabilities and prices.",
  Billing: "The account's spending limit and spending.",
};

/** Models, and what the key's account may spend and has spent. */
export const endpoints = {
  "models.list": {
    id: "listModels",
    tag: "Models",
    summary: "Lists the key's models; Google's SDKs get `GeminiModelList`",
    // Not as an alternative: clients that are generated from it would have to tell the two apart.
    ok: { json: { ModelList: modelList } },
    query: { ...modelListQuery.shape, ...geminiModelListQuery.shape },
    examples: [{ name: "all", summary: "All models of the key" }],
  },
  "models.get": {
    id: "getModel",
    tag: "Models",
    summary: "Shows a model; Google's SDKs get `GeminiModel`",
    ok: { json: { Model: model } },
    examples: [{ name: "model", summary: "One model", path: { id: "gpt-4o-mini" } }],
  },
  subscription: {
    id: "getBillingSubscription",
    tag: "Billing",
    summary: "Shows the spending limit",
    ok: { json: { BillingSubscription: subscription } },
    examples: [{ name: "key", summary: "The key's spending limit" }],
  },
  usage: {
    id: "getBillingUsage",
    tag: "Billing",
    summary: "Shows spending by day and model",
    ok: { json: { BillingUsage: usage } },
    query: billingUsageQuery.shape,
    examples: [{ name: "days", summary: "A few days", query: { start_date: dayOf(-1), end_date: dayOf(1) } }],
  },
  receipt: {
    id: "getReceipt",
    tag: "Billing",
    summary: "Shows the signed receipt of a request of the key's own",
    ok: { json: { Receipt: signedReceipt } },
  },
} satisfies Readonly<Record<string, Operation>>;
