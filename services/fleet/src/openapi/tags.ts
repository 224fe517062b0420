import type { DocumentName } from "@uag/gateway/docs/documents.ts";

/** The groups of operations, and their descriptions. */
const tags = {
  public: {
    Chat: "Conversations in OpenAI's format, with any model: text, pictures, sound and film in; text, tool calls and structured output out, whole or as a stream.",
    Responses:
      "The same conversations in the format of OpenAI's Responses, with any model. Nothing is stored: send it whole.",
    Messages: "The same conversations in Anthropic's format, with any model, and what a conversation counts in tokens.",
    Embeddings: "Vectors of texts, for search and comparison.",
    Audio: "Speech of a text, and the voices that speak it.",
    Images: "Pictures of a description, and changes to pictures. What a body contains depends on the model's family.",
    Videos:
      "Films of a description. A film takes minutes and so is a task: start it, then ask for it, wait for it, or be told by a webhook.",
    Models: "The models that may be used, what they can do and cost.",
    Billing: "What the key's account may spend and has spent.",
    Service: "Whether the gateway is there and ready, and this document. These paths ask for no key.",
  },
  admin: {
    Accounts: "Accounts and their money. A top-up's `reference` makes it happen once, however often it is sent.",
    Keys: "API keys and their limits. A key's secret is shown once, when the key is made or regenerated.",
    Usage: "What was asked and what it cost, in sums, as single requests, and as an export.",
    Ledger: "Every movement of money, and the repair of requests that had no price.",
    Catalogue: "The models, what they cost, and who serves them.",
    Fleet: "The gateway's own processes, and whether its books are right.",
    Audit: "What administrators have done.",
    "Admin tokens": "The tokens that this API asks for.",
    Alerts:
      "Who is told, by webhook or e-mail, when an account or a key has spent a part of what it is meant to spend in a month, or an account has little left.",
    Webhooks: "What signs the messages about finished video tasks and spending, and their delivery.",
    Service: "This document, which asks for no token.",
  },
} as const;

export type Tag = { [Name in DocumentName]: keyof (typeof tags)[Name] }[DocumentName];

/** The tags of a document, in display order. */
export const tagObjects = (name: DocumentName) =>
  Object.entries(tags[name]).map(([tag, description]) => ({ name: tag, description }));
