import assert from "node:assert/strict";
import { test } from "node:test";
import { providerSettings } from "./providers.ts";

const simulator = "http://127.0.0.1:20001";

test("without keys every provider is the simulator", () => {
  const settings = providerSettings({}, simulator);
  assert.equal(settings["OPENAI_BASE_URL"], `${simulator}/openai/v1`);
  assert.equal(settings["ANTHROPIC_BASE_URL"], `${simulator}/anthropic`);
  assert.equal(settings["DEEPSEEK_BASE_URL"], `${simulator}/vendor/v1`);
  assert.ok(settings["OPENAI_API_KEY"]);
});

test("a real key never goes to the simulator", () => {
  const settings = providerSettings({ OPENAI_API_KEY: "sk-real" }, simulator);
  assert.equal(settings["OPENAI_API_KEY"], "sk-real");
  assert.equal(settings["OPENAI_BASE_URL"], undefined);
  assert.equal(settings["XAI_BASE_URL"], `${simulator}/xai/v1`);
});

test("a base URL alone is used, and empty variables count as unset", () => {
  const settings = providerSettings({ OPENAI_BASE_URL: "http://localhost:11434/v1", ARK_API_KEY: "" }, simulator);
  assert.equal(settings["OPENAI_BASE_URL"], "http://localhost:11434/v1");
  assert.equal(settings["ARK_BASE_URL"], `${simulator}/ark/api/v3`);
});
