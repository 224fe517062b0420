import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { providerEnvironments } from "@uag/catalog/provider-environment";
import { serviceNames } from "@uag/contract/routes";
import { repoRoot } from "@uag/local/paths";
import { providerSettings } from "@uag/local/providers";

interface Settings {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly patternProperties: Readonly<Record<string, unknown>>;
}

test("the chart of a service that calls providers accepts the address of every provider in the catalogue", async () => {
  const catalog = await readFile(join(repoRoot, "infra/config/catalog.yaml"), "utf8");
  const settings = providerSettings(providerEnvironments(catalog), {}, "http://simulator:9090");
  const addresses = Object.keys(settings).filter((name) => !name.endsWith("_API_KEY"));
  assert.ok(addresses.includes("AZURE_OPENAI_BASE_URL"));
  for (const service of serviceNames) {
    const file = await readFile(join(repoRoot, "infra/helm", service, "values.schema.json"), "utf8");
    const { properties, patternProperties } = JSON.parse(file).properties.settings as Settings;
    const patterns = Object.keys(patternProperties).map((pattern) => new RegExp(pattern));
    const isAccepted = (name: string): boolean =>
      Object.hasOwn(properties, name) || patterns.some((pattern) => pattern.test(name));
    assert.deepEqual(
      addresses.concat("OPENAI_PROJECT").filter((name) => !isAccepted(name)),
      [],
      service,
    );
  }
});
