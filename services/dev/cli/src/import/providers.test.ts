import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Live } from "./live.ts";
import { emptyPlan } from "./plan.ts";
import { planProvider } from "./providers.ts";

const liveWith = (providers: Readonly<Record<string, string>>): Live => ({
  accounts: new Map(),
  budgets: [],
  imported: new Map(),
  models: new Map(),
  templates: new Map([["openai", "https://api.openai.com/v1"]]),
  providers: new Map(
    Object.entries(providers).map(([id, url]) => [id, { id, base_url: url, credentials: [] }] as const),
  ),
});
const idOf = (found: ReturnType<typeof planProvider>): string => ("id" in found ? found.id : found.why);

describe("a provider of another gateway", () => {
  test("is the gateway's own at the same host, else a server of its own", () => {
    const plan = emptyPlan();
    const live = liveWith({ openai: "https://api.openai.com/v1" });
    const at = (baseUrl: string | undefined) =>
      idOf(planProvider(plan, live, { kind: "openai", baseUrl, secret: "sk-1" }));
    assert.deepEqual([at(undefined), at("https://api.openai.com/v1/")], ["openai", "openai"]);
    assert.equal(at("https://llm.acme.example/v1"), "llm-acme-example");
    assert.deepEqual(plan.providers, [
      { id: "llm-acme-example", template: "openai-compatible", baseUrl: "https://llm.acme.example/v1" },
    ]);
    assert.equal(at("not a URL"), "Its base URL is invalid.");
    assert.equal(
      idOf(planProvider(plan, live, { kind: undefined, baseUrl: "https://a.example", secret: undefined })),
      "Its provider's protocol is not supported here.",
    );
  });

  test("has an id of its own if its host serves another path or protocol, so that no key goes to another address", () => {
    const plan = emptyPlan();
    const live = liveWith({ "b-example": "https://b.example/other" });
    const at = (kind: string, baseUrl: string) => idOf(planProvider(plan, live, { kind, baseUrl, secret: "sk-1" }));
    assert.deepEqual(
      [
        at("openai", "https://a.example/v1"),
        at("openai", "https://a.example/beta/v1"),
        at("anthropic", "https://a.example"),
        at("openai", "https://a.example/v1/"),
        at("openai", "https://b.example/v1"),
        at("openai", "https://b.example/other"),
      ],
      ["a-example", "a-example-beta-v1", "a-example-anthropic-compatible", "a-example", "b-example-v1", "b-example"],
    );
  });
});
