import assert from "node:assert/strict";
import { mkdtemp, readFile, rename, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { waitFor } from "@uag/harness/testing/wait-for";
import { createLogger } from "@uag/runtime/log";
import { parseCatalog, readRows } from "../src/parse.ts";
import { openCatalog } from "../src/store.ts";

const log = createLogger({ service: "test", level: "silent" });
const yaml = (price: number): string => `
providers: { acme: { protocol: openai, base_url: "http://127.0.0.1:9", api_key: k } }
models:
  - { id: m, owned_by: a, created: 0, operations: [chat.completions], context_tokens: 9, max_output_tokens: 9,
      price: { input_tokens: ${price}, output_tokens: 1 }, upstreams: [{ provider: acme }] }
`;

test("applies a valid change of the file within seconds, also one made by a symbolic link, and never an invalid one", async () => {
  const dir = await mkdtemp(join(tmpdir(), "catalog-"));
  const file = join(dir, "catalog.yaml");
  await writeFile(file, yaml(1));
  using store = await openCatalog({ file, env: {}, log, intervalMs: 20 });
  const rate = (): bigint | undefined => store.current.models.get("m")?.price.rates.get("input_tokens");
  assert.equal(rate(), 1_000_000_000n);
  await writeFile(file, yaml(2));
  await waitFor(() => rate() === 2_000_000_000n, { what: "the new price" });
  await writeFile(file, "providers: [");
  await writeFile(join(dir, "next"), yaml(3));
  await sleep(60);
  assert.equal(rate(), 2_000_000_000n);
  await rename(join(dir, "next"), file);
  await waitFor(() => rate() === 3_000_000_000n, { what: "the new price" });
  await writeFile(join(dir, "linked"), yaml(4));
  await unlink(file);
  await symlink("linked", file);
  await waitFor(() => rate() === 4_000_000_000n, { what: "the new price" });
  await rm(dir, { recursive: true });
});

const withVersions = (...rows: [from: string, usd: number][]): string =>
  `${yaml(1)}price_versions:\n${rows
    .map(
      ([from, usd]) =>
        `  - { model: m, effective_from: "${from}", accepted_by: a, reason: r, price: { input_tokens: ${usd}, output_tokens: 1 } }\n`,
    )
    .join("")}`;

test("an accepted price takes effect at its time, and none that is in force can be changed or removed", async () => {
  const dir = await mkdtemp(join(tmpdir(), "catalog-"));
  const file = join(dir, "catalog.yaml");
  await writeFile(file, yaml(1));
  using store = await openCatalog({ file, env: {}, log, intervalMs: 20 });
  const priceNow = () => store.current.models.get("m")?.price;
  const rate = () => priceNow()?.rates.get("input_tokens");
  const listed = priceNow()?.version;
  const past = new Date(Date.now() - 1_000).toISOString();
  const soon = new Date(Date.now() + 1_500).toISOString();
  await writeFile(file, withVersions([past, 2], [soon, 3]));
  await waitFor(() => rate() === 2_000_000_000n, { what: "the accepted price" });
  const accepted = priceNow()?.version;
  await waitFor(() => rate() === 3_000_000_000n, { what: "the price that was accepted ahead" });
  assert.equal(new Set([listed, accepted, priceNow()?.version]).size, 3);
  for (const bad of [yaml(1), withVersions([past, 9], [soon, 3]), withVersions([soon, 3])]) {
    await writeFile(file, bad);
    await sleep(60);
    assert.equal(rate(), 3_000_000_000n);
  }
  await writeFile(file, withVersions([past, 2], [soon, 3], [new Date().toISOString(), 1]));
  await waitFor(() => rate() === 1_000_000_000n, { what: "the next price" });
  assert.notEqual(priceNow()?.version, listed, "the same rates at another time are another version");
  await rm(dir, { recursive: true });
});

test("a catalogue that cannot be read at startup is an error", async () => {
  await assert.rejects(openCatalog({ file: join(tmpdir(), "no-such-catalog.yaml"), env: {}, log }));
});

test("a process whose catalogue is invalid at startup starts with the last valid one, applies changes to it, and reports it", async () => {
  const dir = await mkdtemp(join(tmpdir(), "catalog-"));
  const [file, lastValidFile] = [join(dir, "catalog.yaml"), join(dir, "last.yaml")];
  const options = { file, env: {}, log, lastValidFile, intervalMs: 20 };
  const invalid = "providers: [";
  await writeFile(file, invalid);
  await assert.rejects(openCatalog(options), /not YAML/);
  await writeFile(file, yaml(1));
  const hash = await openCatalog(options).then(async (store) => {
    using followed = store;
    await followed.apply({});
    assert.equal(followed.rejected, false);
    await writeFile(file, invalid);
    await waitFor(() => followed.rejected, { what: "the rejection to be reported" });
    return followed.fileHash;
  });
  using restarted = await openCatalog(options);
  assert.deepEqual([restarted.rejected, restarted.fileHash], [true, hash]);
  const price = { model: "m", accepted_by: "a", reason: "r", price: { input_tokens: 7, output_tokens: 1 } };
  await restarted.apply({ accepted: [{ ...price, effective_from: new Date(Date.now() - 1_000).toISOString() }] });
  assert.equal(restarted.current.models.get("m")?.price.rates.get("input_tokens"), 7_000_000_000n);
  await writeFile(file, yaml(2));
  await waitFor(() => !restarted.rejected, { what: "the corrected file" });
  assert.notEqual(restarted.fileHash, hash);
  await rm(dir, { recursive: true });
});

test("a provider's key that is a file is read again, and an unreadable one leaves the last key in force", async () => {
  const dir = await mkdtemp(join(tmpdir(), "catalog-"));
  const [file, keyFile] = [join(dir, "catalog.yaml"), join(dir, "key")];
  await writeFile(file, yaml(1).replace("api_key: k", `api_key: "\${ACME_API_KEY}"`));
  await writeFile(keyFile, "first\n");
  using store = await openCatalog({ file, env: { ACME_API_KEY_FILE: keyFile }, log });
  const key = () => store.current.providers.get("acme")?.apiKey;
  assert.equal(key(), "first");
  await writeFile(keyFile, "second\n");
  await store.apply({});
  assert.equal(key(), "second");
  await unlink(keyFile);
  await store.apply({});
  assert.deepEqual([key(), store.rejected], ["second", true]);
  await rm(dir, { recursive: true });
});

test("the shipped catalogue is valid, and every provider's models are served once its key is set, and its address if that is the customer's own", async () => {
  const file = new URL("../../../../infra/config/catalog.yaml", import.meta.url);
  const text = await readFile(file, "utf8");
  const names = [...text.matchAll(/\$\{([A-Z_]+_(?:API_KEY|BASE_URL))\}/g)].map((match) => match[1] as string);
  const settingOf = (name: string): string => (name.endsWith("URL") ? "https://own.test" : "k");
  const catalog = parseCatalog(text, Object.fromEntries(names.map((name) => [name, settingOf(name)])));
  assert.deepEqual(catalog.unserved, []);
  assert.equal(catalog.models.size, readRows(text).models.length);
  for (const model of catalog.models.values()) assert.ok(model.created > 0, model.id);
});
