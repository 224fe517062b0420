import type { DocumentName } from "../docs/documents.ts";

/** The groups of operations, and their descriptions. */
const tags = {
  public: {
    Chat: "Conversations in OpenAI's format, with any model. Input: text, images, audio and video. Output: text, tool calls and structured output, complete or streamed.",
    Responses:
      "Conversations in the format of OpenAI's Responses API, with any model. Nothing is stored: send the complete conversation.",
    Messages: "Conversations in Anthropic's format, with any model, and token counts.",
    Embeddings: "Embedding vectors of texts.",
    Audio: "Speech synthesis, and its voices.",
    Images: "Images from a description, and image edits. The body depends on the model family.",
    Videos:
      "Videos from a description. A video takes minutes, so it is a task: create it, then poll it, wait for it, or receive a webhook.",
    Models: "The key's models, their capabilities and prices.",
    Billing: "The account's spending limit and spending.",
    Service: "Health checks and this document. These paths need no key.",
  },
  admin: {
    Accounts: "Accounts and their balances. A top-up is idempotent by its `reference`.",
    Keys: "API keys and their limits. A key's secret is shown once, when the key is created or regenerated.",
    Usage: "Requests and their cost: totals, single requests, and exports.",
    Ledger: "Every movement of money, and the repair of unpriced requests.",
    Catalogue: "The models, their prices and providers.",
    Fleet: "The gateway's processes, and the result of the ledger audit.",
    Audit: "The audit log of administrators' actions.",
    "Admin tokens": "The tokens of this API.",
    Alerts:
      "Spend alerts notify by webhook or email when an account or key has spent a share of its monthly amount, or when a balance is low.",
    Webhooks: "Signing secrets of webhooks for video tasks and spend alerts, and their deliveries.",
    Service: "This document; no token required.",
  },
} as const;

export type Tag = { [Name in DocumentName]: keyof (typeof tags)[Name] }[DocumentName];

/** The tags of a document, in display order. */
export const tagObjects = (name: DocumentName) =>
  Object.entries(tags[name]).map(([tag, description]) => ({ name: tag, description }));
