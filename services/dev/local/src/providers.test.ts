import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { providerEnvironments } from "@uag/catalog/provider-environment";
import { providers as simulated } from "@uag/simulator/routes";
import { providerLines } from "./banner.ts";
import { repoRoot } from "./paths.ts";
import { providerSettings, providerStates, simulatedProviders } from "./providers.ts";

const simulator = "http://127.0.0.1:20001";
const providers = providerEnvironments(await readFile(join(repoRoot, "infra/config/catalog.yaml"), "utf8"));

test("without keys the simulator replaces every provider", () => {
  const settings = providerSettings(providers, {}, simulator);
  assert.equal(settings["OPENAI_BASE_URL"], `${simulator}/openai/v1`);
  assert.equal(settings["ANTHROPIC_BASE_URL"], `${simulator}/anthropic`);
  assert.equal(settings["DEEPSEEK_BASE_URL"], `${simulator}/vendor/v1`);
  assert.ok(settings["OPENAI_API_KEY"]);
  assert.deepEqual(
    simulatedProviders(providers, {}),
    providers.map(({ name }) => name),
  );
});

test("a real key is never sent to the simulator", () => {
  const settings = providerSettings(providers, { OPENAI_API_KEY: "sk-real" }, simulator);
  assert.equal(settings["OPENAI_API_KEY"], "sk-real");
  assert.equal(settings["OPENAI_BASE_URL"], undefined);
  assert.equal(settings["XAI_BASE_URL"], `${simulator}/xai/v1`);
});

test("a base URL without a key is used, and empty variables count as unset", () => {
  const env = { OPENAI_BASE_URL: "http://localhost:11434/v1", ARK_API_KEY: "" };
  const settings = providerSettings(providers, env, simulator);
  assert.equal(settings["OPENAI_BASE_URL"], "http://localhost:11434/v1");
  assert.ok(settings["OPENAI_API_KEY"]);
  assert.equal(settings["ARK_BASE_URL"], `${simulator}/ark/api/v3`);
});

test("a provider that the simulator does not implement is not served without its key", () => {
  const ref = (name: string): string => `\${${name}}`;
  const row = `{ protocol: openai, base_url: "${ref("ACME_BASE_URL:-https://a.test")}", api_key: "${ref("ACME_API_KEY")}" }`;
  const acme = providerEnvironments(`providers: { acme: ${row} }\nmodels: []`);
  assert.deepEqual(providerSettings(acme, {}, simulator), {});
  assert.deepEqual(simulatedProviders(acme, {}), []);
});

test("states of each provider whether it is real, and the variable that makes it real", () => {
  const states = providerStates(providers, { OPENAI_API_KEY: "sk-real", XAI_BASE_URL: "http://127.0.0.1:9/v1" });
  const stateOf = (wanted: string) => states.find(({ name }) => name === wanted);
  assert.deepEqual(stateOf("openai"), { name: "openai", state: "real", variable: "OPENAI_API_KEY" });
  assert.equal(stateOf("xai")?.state, "real");
  assert.deepEqual(stateOf("anthropic"), { name: "anthropic", state: "simulated", variable: "ANTHROPIC_API_KEY" });
  const lines = providerLines(states);
  assert.match(lines, /^ {2}Real {7}openai, xai$/m);
  assert.match(lines, /^ {2}Simulated {2}.*anthropic \(ANTHROPIC_API_KEY\)/m);
  assert.match(lines, /DASHSCOPE_API_KEY=\.\.\. npm start/);
  assert.equal(providerLines([]), "");
});

test("the simulator serves every path at which the catalogue lets it replace a provider", () => {
  for (const { name, simulatorPath = "" } of providers)
    assert.ok(
      simulated.some(({ prefix }) => `${simulatorPath}/`.startsWith(`${prefix}/`)),
      `${name}: ${simulatorPath}`,
    );
});

test("the README names the variables of every provider of the catalogue", async () => {
  const readme = await readFile(join(repoRoot, "README.md"), "utf8");
  for (const { name, apiKeyVariables, baseUrlVariable } of providers)
    assert.ok(readme.includes(`| \`${apiKeyVariables[0]}\` | \`${baseUrlVariable}\` |`), name);
});
