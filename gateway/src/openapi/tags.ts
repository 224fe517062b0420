import type { DocumentName } from "../docs/documents.ts";
import { tags as endpointTags, operations } from "./operations.ts";
import { nameOf, routesOf } from "./routes.ts";

/** The groups of operations that no file in `endpoints/` describes, and their descriptions. */
const tags = {
  public: { Service: "Health checks and this document. These paths need no key." },
  admin: {
    Accounts: "Accounts and their balances. A top-up is idempotent by its `reference`.",
    Keys: "API keys and their limits. A key's secret is shown once, when the key is created or regenerated.",
    Budgets:
      "Budgets that keys of an account share: for a day, a week, a month or in total, within one another up to four levels deep. A request is refused with `budget_exceeded` unless its key's budget and every hard one above it cover what it may cost.",
    Envelopes:
      "Keys with an amount and an end of their own, which programs open for agents at the public API's `/v1/envelopes`. Administrators see those of all keys, and close them.",
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

/** A tag of this table. */
export type Tag = { [Name in DocumentName]: keyof (typeof tags)[Name] }[DocumentName];

/** The public API's own tags, in the order of the table of routes. */
function publicTags(): Record<string, string> {
  const names = new Set(routesOf.public.map((route) => operations[nameOf(route)]?.tag ?? ""));
  return Object.fromEntries([...names].map((name) => [name, described(name)]));
}

function described(name: string): string {
  const description = endpointTags[name];
  if (description === undefined) throw new Error(`no file in openapi/endpoints describes the tag ${name}`);
  return description;
}

/** The tags of a document, in display order. */
export function tagObjects(name: DocumentName) {
  const all = name === "public" ? { ...publicTags(), ...tags.public } : tags[name];
  return Object.entries(all).map(([tag, description]) => ({ name: tag, description }));
}
