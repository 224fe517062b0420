import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCatalog } from "./parse.ts";
import { providerTemplates } from "./templates.ts";

test("each template is a valid provider of the catalogue once it has an address", () => {
  for (const [name, template] of Object.entries(providerTemplates)) {
    const fields = { ...template, base_url: template.base_url || "https://example.com/v1", api_key: "" };
    const providers = [{ name, enabled: true, added: true, fields }];
    const overlay = { version: 1, providers, models: [], credentials: [] };
    const catalog = parseCatalog("providers: {}\nmodels: []", {}, { overlay });
    assert.equal(catalog.providers.get(name)?.protocol, template.protocol);
  }
});

test("a template assumes that its vendor bills a stream to its end", () => {
  for (const template of Object.values(providerTemplates)) assert.equal(template["on_abort"], "continues");
});

test("a provider cannot be sent requests without the fields that bound their cost", () => {
  const catalogWith = (field: string) =>
    parseCatalog(
      `providers: { p: { protocol: openai, base_url: https://p.test, api_key: k, unsupported_fields: [${field}] } }\nmodels: []`,
      {},
    );
  assert.ok(catalogWith("stream_options").providers.get("p")?.unsupportedFields?.has("stream_options"));
  for (const field of ["max_tokens", "model", "Stream-Options"])
    assert.throws(() => catalogWith(field), /unsupported_fields/);
});
