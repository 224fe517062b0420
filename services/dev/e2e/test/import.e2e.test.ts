import assert from "node:assert/strict";
import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { TestFleet } from "@uag/harness/fleet/with-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import { clientOf, readMapping, rowsOf, startImportGateway } from "./import/gateway.ts";
import { fixture, runImport } from "./import/run-import.ts";

interface Budget {
  readonly id: string;
  readonly name: string;
  readonly parent_id: string | null;
  readonly max_budget: number;
  readonly period: string;
  readonly rpm_limit: number | null;
  readonly tpm_limit: number | null;
  readonly max_parallel_requests: number | null;
  readonly spent_usd: string;
}
interface Key {
  readonly id: string;
  readonly key_alias: string;
  readonly budget_id: string | null;
  readonly [field: string]: unknown;
}

/** The salt key with which the dump's provider keys are encrypted, and the keys themselves. */
const saltKey = "sk-salt-of-the-fixture";
const secrets = ["sk-fixture-acme-key-7777", "sk-fixture-llama-key-3333", "sk-fixture-openai-key-1111", saltKey];
const shared = { LITELLM_SALT_KEY: saltKey };
const hello = (model: string) => ({ model, messages: [{ role: "user", content: "repeat 5 words" }], max_tokens: 50 });
const chat = "/v1/chat/completions";

describe("npm run import", () => {
  let fleet: TestFleet;
  let dir: string;
  const resources = new AsyncDisposableStack();

  before(async () => {
    ({ fleet, dir } = await startImportGateway(resources));
  });
  after(() => resources.disposeAsync());

  const all = <T>(path: string, query?: Readonly<Record<string, string | undefined>>) => rowsOf<T>(fleet, path, query);
  const account = () => fleet.run.account_id;
  const mapping = () => join(dir, "keys.jsonl");
  const liteLlm = (...more: string[]) => [
    "litellm",
    "--dump",
    fixture("litellm.sql"),
    "--config",
    fixture("litellm.yaml"),
    "--account",
    account(),
    ...more,
  ];

  test("a plan lists every change and every loss without a secret, and changes nothing", async () => {
    const before = await all<Key>("/keys");
    const { code, stdout, stderr } = await runImport(fleet.run, liteLlm(), {
      ...shared,
      OPENAI_API_KEY: "sk-fixture-openai-key-1111",
    });
    assert.equal(code, 0, stderr);
    for (const line of [
      "+ budget Acme: 100 USD a month",
      "+ budget Research: 20 USD a week",
      "+ budget bot (key): 5 USD in total",
      "+ budget cached-prompts (key): 1.75 USD in total",
      "+ provider llm-acme-example at https://llm.acme.example/v1",
      "+ key sk-...1111 of the provider openai",
      "+ key sk-...7777 of the provider llm-acme-example",
      "+ model acme-large at llm-acme-example",
      "+ provider acme-openai-azure-com at https://acme.openai.azure.com/openai/v1",
      "+ model azure-gpt at acme-openai-azure-com",
      "+ model local-llama at llama-acme-example",
      "+ alias fast of gpt-4o-mini",
      "+ alias quick of gpt-4o-mini",
      "! key blocked: It is blocked.",
    ])
      assert.ok(stdout.split("\n").includes(line), `${line}\n\n${stdout}`);
    assert.match(stdout, /^! api_key of claude-sonnet-4-6: It is os\.environ\/ANTHROPIC_API_KEY, which is not set/m);
    assert.match(stdout, /^! model no-price: Its price is unknown, and nothing without a price/m);
    assert.match(stdout, /^! key small: Its period of 14d has no equal here/m);
    assert.match(stdout, /^! key small: Its own aliases of models/m);
    assert.match(stdout, /^! fallbacks of fast: fast is a name of gpt-4o-mini here/m);
    assert.match(stdout, /Nothing was changed\.$/m);
    for (const secret of secrets) assert.ok(!`${stdout}${stderr}`.includes(secret), secret);
    assert.equal((await all<Key>("/keys")).length, before.length);
    assert.equal((await all<Budget>("/budgets")).length, 0);
  });

  test("provider keys of LiteLLM's database are left out, and reported, without its salt key", async () => {
    const { stdout } = await runImport(fleet.run, liteLlm());
    assert.match(stdout, /^! model acme-large: Its settings are encrypted\. Set LITELLM_SALT_KEY/m);
    const wrong = await runImport(fleet.run, liteLlm(), { LITELLM_SALT_KEY: "sk-another" });
    assert.match(wrong.stdout, /^! model acme-large: Its settings cannot be decrypted/m);
  });

  test("an import without a file for the new keys is refused before anything is changed", async () => {
    const { code, stderr } = await runImport(fleet.run, liteLlm("--apply"));
    assert.equal(code, 1);
    assert.match(stderr, /--mapping is missing/);
    await writeFile(join(dir, "open.jsonl"), "");
    await chmod(join(dir, "open.jsonl"), 0o644);
    const open = await runImport(fleet.run, liteLlm("--apply", "--mapping", join(dir, "open.jsonl")));
    assert.match(open.stderr, /others may read it\. Change that: chmod 600/);
    assert.equal((await all<Budget>("/budgets")).length, 0);
  });

  test("an import of LiteLLM's database gives each key its models, limits and budgets, and only its mapping has the secrets", async () => {
    const { code, stdout, stderr } = await runImport(fleet.run, liteLlm("--apply", "--mapping", mapping()), shared);
    assert.equal(code, 0, `${stdout}\n${stderr}`);
    assert.equal((await stat(mapping())).mode & 0o777, 0o600);
    const keys = new Map((await all<Key>("/keys")).map((key) => [key.key_alias, key]));
    const budgets = new Map((await all<Budget>("/budgets")).map((budget) => [budget.name, budget]));
    for (const { key, old_key } of await readMapping(mapping())) {
      assert.ok(!stdout.includes(key));
      assert.match(old_key, /^sk-\.\.\./);
    }
    const [acme, research] = [budgets.get("Acme"), budgets.get("Research")];
    assert.deepEqual([acme?.max_budget, acme?.period, acme?.parent_id], [100, "month", null]);
    assert.deepEqual([research?.max_budget, research?.period, research?.parent_id], [20, "week", acme?.id]);
    assert.deepEqual(
      [research?.rpm_limit, research?.tpm_limit, research?.max_parallel_requests],
      [null, 100_000, null],
    );
    const ci = keys.get("ci");
    assert.deepEqual(
      [ci?.["rpm_limit"], ci?.["tpm_limit"], ci?.["max_parallel_requests"], ci?.["max_budget"], ci?.budget_id],
      [60, 50_000, 4, 10, research?.id],
    );
    assert.deepEqual(ci?.["models"], ["gpt-4o-mini"]);
    assert.deepEqual(keys.get("notebook")?.["models"], ["fast", "claude-sonnet-4-6", "gpt-4o-mini"]);
    assert.deepEqual(keys.get("bot")?.["models"], []);
    const own = budgets.get("bot (key)");
    assert.deepEqual(
      [own?.parent_id, keys.get("bot")?.budget_id],
      [acme?.id, own?.id],
      "its team has no budget of its own",
    );
    assert.equal(keys.get("blocked"), undefined);
  });

  test("a key that replaces one of LiteLLM calls models by LiteLLM's names, within its limits, and is charged to its budgets", async () => {
    const notebook = await clientOf(fleet, mapping(), "notebook");
    const served = await waitFor(
      async () => {
        const response = await notebook.post(chat, hello("fast"));
        return response.status === 200 ? response : undefined;
      },
      { what: "the alias in force" },
    );
    const cost = Number(served.headers.get("x-gateway-cost-usd"));
    assert.ok(cost > 0);
    for (const name of ["Acme", "Research"])
      await waitFor(
        async () => Number((await all<Budget>("/budgets")).find((each) => each.name === name)?.spent_usd) >= cost,
        { what: `the charge in ${name}` },
      );
    const ci = await clientOf(fleet, mapping(), "ci");
    assert.equal((await ci.post(chat, hello("gpt-4o-mini"))).status, 200);
    const refused = await ci.post(chat, hello("claude-sonnet-4-6"));
    assert.equal(refused.status, 400, refused.text);
    assert.match(refused.text, /model_not_found/);
  });

  test("a comparison pairs each request of LiteLLM's spend log with the ledger's, and names those that only one has", async () => {
    const from = new Date();
    const words = (model: string, count: number, more: object = {}) => ({
      model,
      messages: [{ role: "user", content: `repeat ${count} words` }],
      ...more,
    });
    const long = { role: "system", content: "A long text that the provider caches. ".repeat(300) };
    const cached = { model: "gpt-4o-mini", messages: [long, { role: "user", content: "repeat 9 words" }] };
    /** Those of the fixture, except two, and one that LiteLLM did not have. */
    const sent: [string, object][] = [
      ["ci", words("gpt-4o-mini", 12)],
      ["ci", words("gpt-4o-mini", 40)],
      ["notebook", words("fast", 25)],
      ["notebook", words("claude-sonnet-4-6", 30, { max_tokens: 500 })],
      ["cached-prompts", cached],
      ["cached-prompts", cached],
      ["ci", words("gpt-4o-mini", 3)],
    ];
    for (const [name, body] of sent) {
      const response = await (await clientOf(fleet, mapping(), name)).post(chat, body);
      assert.equal(response.status, 200, response.text);
    }
    const sentSince = { account: account(), from: from.toISOString() };
    await waitFor(async () => (await all("/usage/events", sentSince)).length === sent.length, { what: "the charges" });

    const startedAt = from.toISOString().replace("T", " ").replace("Z", "");
    const log = (await readFile(fixture("litellm.sql"), "utf8")).replaceAll(
      /2026-11-28 13:48:\d\d(\.\d+)?/g,
      startedAt,
    );
    const file = join(dir, "log.sql");
    await writeFile(file, log);
    const args = ["compare", "litellm", "--dump", file, "--account", account(), "--from", from.toISOString()];
    const { code, stdout, stderr } = await runImport(fleet.run, [...args, "--within", "900"]);
    assert.equal(code, 2, `${stdout}\n${stderr}`);
    assert.match(stdout, /^9 requests, 6 equal\. /m);
    assert.match(stdout, /^this gateway has no such request +2 +0\.010054050$/m);
    assert.match(stdout, /^they have no such request +1 +-0\.0000\d+$/m);
    const differing = stdout.split("\n").filter((line) => /^\d{4}-\d{2}-\d{2}T/.test(line));
    assert.equal(differing.length, 3, stdout);
  });

  test("an import that is repeated makes no change", async () => {
    const { code, stdout } = await runImport(fleet.run, liteLlm("--apply", "--mapping", mapping()), shared);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /^0 changes made/m);
    assert.match(stdout, /^= key ci \(key_/m);
    assert.doesNotMatch(stdout, /is not in the mapping file/);
    const elsewhere = await runImport(fleet.run, liteLlm("--apply", "--mapping", join(dir, "other.jsonl")), shared);
    assert.match(elsewhere.stdout, /^! key ci: Its secret is not in the mapping file\. .* regenerate key_/m);
  });
});
