import assert from "node:assert/strict";
import { test } from "node:test";
import { CatalogError } from "./catalog-error.ts";
import { type ChangedEntry, changesText, planChanges, readChanges } from "./changes-file.ts";

const entry = (id: string, fields: object, more: Partial<ChangedEntry> = {}): ChangedEntry => ({
  id,
  source: "runtime",
  enabled: true,
  revision: 3,
  fields: fields as Record<string, unknown>,
  ...more,
});
const own = entry("own", { protocol: "openai", base_url: "https://own.test/v1", api_key: "" });
const large = entry("own/large", { id: "own/large", created: 1, price: { input_tokens: 1 }, context_tokens: 100 });
const listed = entry(
  "listed",
  { display_name: "Ours", price: { input_tokens: 2 } },
  { source: "file", enabled: false },
);
const live = {
  providers: [own],
  models: [large, listed],
  fileProviders: new Set(["openai"]),
  fileModels: new Set(["listed", "other"]),
};
const plan = (text: string, prune = false) =>
  planChanges(readChanges(text), live, prune).map(({ kind, id, action, fields }) => [action, kind, id, fields]);

test("an exported file changes nothing where it was exported from, and makes the same entries elsewhere", () => {
  const text = changesText(live);
  assert.deepEqual(plan(text, true), []);
  const nothing = { ...live, providers: [], models: [] };
  const made = planChanges(readChanges(text), nothing, true).map(({ action, id }) => `${action} ${id}`);
  assert.deepEqual(made, ["create own", "update listed", "create own/large"]);
  assert.ok(!text.includes("api_key") && !text.includes("created"));
});

test("a plan has only the fields that differ, null for those that the file no longer has, and no price to take back", () => {
  const text = "models: { own/large: { context_tokens: 50 }, other: { enabled: false } }";
  assert.deepEqual(plan(text), [
    ["update", "models", "own/large", { context_tokens: 50 }],
    ["update", "models", "other", { enabled: false }],
  ]);
  assert.deepEqual(plan("models: { listed: {} }"), [
    ["update", "models", "listed", { enabled: true, display_name: null }],
  ]);
});

test("pruning deletes what was added and restores what the catalogue's file has, models before their providers", () => {
  assert.deepEqual(plan("providers: {}\nmodels:\n", true), [
    ["delete", "models", "own/large", {}],
    ["update", "models", "listed", { enabled: true, display_name: null }],
    ["delete", "providers", "own", {}],
  ]);
});

test("a file of another form is refused", () => {
  for (const text of ["a: [", "provider: {}", "models: [a]", "models: { a: { enabled: 1 } }"])
    assert.throws(() => readChanges(text), CatalogError, text);
});
