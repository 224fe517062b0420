import assert from "node:assert/strict";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import type { TestFleet } from "@uag/harness/fleet/with-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import { clientOf, rowsOf, startImportGateway } from "./import/gateway.ts";
import { fixture, runImport } from "./import/run-import.ts";

interface Key {
  readonly id: string;
  readonly account_id: string;
  readonly key_alias: string;
  readonly budget_id: string | null;
  readonly models: readonly string[];
  readonly max_budget: number | null;
  readonly expires: string | null;
  readonly [field: string]: unknown;
}
interface Budget {
  readonly id: string;
  readonly name: string;
  readonly account_id: string;
  readonly period: string;
  readonly max_budget: number;
}
interface Provider {
  readonly id: string;
  readonly credentials: readonly { readonly hint: string; readonly weight: number; readonly priority: number }[];
}
interface UsageEvent {
  readonly model: string;
  readonly started_at: string;
  readonly cost_nano_usd: number;
  readonly units: Readonly<Record<string, number>>;
}

const chat = "/v1/chat/completions";
const nanoPerUsd = 1e9;
const dateLength = 10;
const words = (model: string, count: number, before: readonly object[] = []) => ({
  model,
  messages: [...before, { role: "user", content: `repeat ${count} words` }],
  max_tokens: 500,
});

describe("npm run import from new-api and OpenRouter", () => {
  let fleet: TestFleet;
  let dir: string;
  const resources = new AsyncDisposableStack();

  before(async () => {
    ({ fleet, dir } = await startImportGateway(resources));
  });
  after(() => resources.disposeAsync());

  const all = <T>(path: string, query?: Readonly<Record<string, string | undefined>>) => rowsOf<T>(fleet, path, query);
  const mapping = (gateway: string) => join(dir, `${gateway}.jsonl`);
  /** The fixture as the database that new-api had. */
  const database = async (name: string, change: (sql: string) => string = (sql) => sql): Promise<string> => {
    const file = join(dir, name);
    const stored = new DatabaseSync(file, { enableDoubleQuotedStringLiterals: true });
    stored.exec(change(await readFile(fixture("new-api.sql"), "utf8")));
    stored.close();
    return file;
  };
  /** Keys of the catalogue's own providers would replace the simulator. */
  const elsewhere = (sql: string): string =>
    sql
      .replaceAll("https://api.openai.com", "https://openai.acme.example")
      .replaceAll("https://api.anthropic.com", "https://claude.acme.example");
  const present = (stdout: string, lines: readonly string[]): void => {
    for (const line of lines) assert.ok(stdout.split("\n").includes(line), `${line}\n\n${stdout}`);
  };

  describe("an import from new-api", () => {
    test("a plan of its SQLite database lists every change and every loss without a secret", async () => {
      const { code, stdout, stderr } = await runImport(fleet.run, ["new-api", "--dump", await database("plan.db")]);
      assert.equal(code, 0, stderr);
      present(stdout, [
        "+ provider llm-acme-example at https://llm.acme.example/v1",
        "+ key sk-...1111 of the provider openai",
        "+ key sk-...2222 of the provider openai",
        "+ key sk-...3333 of the provider anthropic",
        "+ key sk-...4444 of the provider llm-acme-example",
        "+ model acme-fast at llm-acme-example",
        "+ account new-api-2 of Ada Lovelace",
        "+ balance of the account new-api-2: 4.99926 USD",
        "+ account new-api-3 of Bob",
        "+ budget ci (key): 0.999966 USD in total",
        "! channel retired: It is disabled.",
        "! key old: It expired at 2023-11-14T22:13:20.000Z.",
        "! key used-up: Its quota is used up.",
        "! key off: It is disabled.",
        "! key gone: Its user eve is disabled.",
        "! key office: Its allowed addresses. There is no equal for a key here.",
      ]);
      assert.match(stdout, /^\+ key notebook in place of sk-\.\.\.\w{4}$/m);
      assert.match(stdout, /^! model acme-large: Its maximum context and output are unknown\./m);
      assert.match(
        stdout,
        /^! channels openai-main, openai-spare: Their keys are those of one provider here, openai,/m,
      );
      assert.match(stdout, /^! group vip: Its prices are multiplied by 0\.5\./m);
      assert.match(stdout, /Nothing was changed\.$/m);
      assert.doesNotMatch(`${stdout}${stderr}`, /sk-fixture/);
      assert.doesNotMatch(stdout, /account new-api-[14]/, "users without a key that works have no account");
    });

    test("an import gives each user an account with the balance, and each token a key with its models and quota", async () => {
      const file = await database("apply.db", elsewhere);
      const args = ["new-api", "--dump", file, "--apply", "--mapping", mapping("new-api")];
      const { code, stdout, stderr } = await runImport(fleet.run, args);
      assert.equal(code, 0, `${stdout}\n${stderr}`);
      const keys = new Map((await all<Key>("/keys")).map((key) => [key.key_alias, key]));
      const budgets = await all<Budget>("/budgets");
      const accounts = await all<{ id: string; name: string; available_usd: string }>("/accounts");
      const ada = accounts.find(({ id }) => id === "new-api-2");
      assert.deepEqual([ada?.name, Number(ada?.available_usd)], ["Ada Lovelace", 4.99926]);
      const [ci, notebook, app] = ["ci", "notebook", "app"].map((name) => keys.get(name));
      assert.deepEqual(
        [ci?.account_id, notebook?.account_id, app?.account_id],
        ["new-api-2", "new-api-2", "new-api-3"],
      );
      assert.deepEqual(ci?.models, ["gpt-4o-mini"]);
      assert.deepEqual(
        [...(notebook?.models ?? [])].sort(),
        ["acme-fast", "acme-large", "gpt-4o", "gpt-4o-mini"],
        "the group default may not use the channel of the group vip",
      );
      assert.deepEqual(app?.models, [], "the group vip may use all");
      const own = budgets.find(({ id }) => id === ci?.budget_id);
      assert.deepEqual(
        [own?.name, own?.period, own?.max_budget, own?.account_id],
        ["ci (key)", "total", 0.999966, "new-api-2"],
      );
      const providers = await all<Provider>("/providers", { limit: undefined });
      const pool = providers.find(({ id }) => id === "openai-acme-example")?.credentials;
      assert.deepEqual(
        pool?.map(({ hint, weight, priority }) => [hint, weight, priority]),
        [
          ["sk-...1111", 1, 0],
          ["sk-...2222", 5, 1],
        ],
      );
    });

    test("an import that is repeated makes no change and credits no balance again", async () => {
      const file = await database("again.db", elsewhere);
      const args = ["new-api", "--dump", file, "--apply", "--mapping", mapping("new-api")];
      const { code, stdout } = await runImport(fleet.run, args);
      assert.equal(code, 0, stdout);
      assert.match(stdout, /^0 changes made/m);
      assert.match(stdout, /^= account new-api-2$/m);
      const accounts = await all<{ id: string; topped_up_usd: string }>("/accounts");
      assert.equal(Number(accounts.find(({ id }) => id === "new-api-2")?.topped_up_usd), 4.99926);
    });

    test("a comparison of its log explains each difference: rounding to quota, the group's ratio, what is missing", async () => {
      const from = new Date();
      const long = { role: "system", content: "A long text that the provider caches. ".repeat(300) };
      /** Those of the fixture, except that to acme-large, and one that new-api did not have. */
      const sent: [string, object][] = [
        ["ci", words("gpt-4o-mini", 12)],
        ["ci", words("gpt-4o-mini", 40)],
        ["notebook", words("gpt-4o-mini", 9, [long])],
        ["notebook", words("gpt-4o-mini", 9, [long])],
        ["app", words("gpt-4o-mini", 25)],
        ["ci", words("gpt-4o-mini", 3)],
      ];
      for (const [name, body] of sent) {
        const response = await (await clientOf(fleet, mapping("new-api"), name)).post(chat, body);
        assert.equal(response.status, 200, response.text);
      }
      const sentSince = { from: from.toISOString() };
      await waitFor(async () => (await all("/usage/events", sentSince)).length === sent.length, {
        what: "the charges",
      });
      const now = String(Math.ceil(from.getTime() / 1_000));
      const file = await database("log.db", (sql) =>
        sql.replaceAll(/(INSERT INTO "logs" VALUES\(\d+,\d+),\d+/g, `$1,${now}`),
      );
      const args = ["compare", "new-api", "--dump", file, "--from", from.toISOString(), "--within", "900"];
      const { code, stdout, stderr } = await runImport(fleet.run, args);
      assert.equal(code, 2, `${stdout}\n${stderr}`);
      assert.match(stdout, /^7 requests, 0 equal\. /m);
      assert.match(stdout, /^rounding +5 +/m);
      assert.match(stdout, /^they multiply it by the ratio of the key's group +1 +-0\.000008000$/m);
      assert.match(stdout, /^this gateway has no such request +1 +0\.000142000$/m);
      assert.match(stdout, /^they have no such request +1 +-0\.0000\d+$/m);
      assert.doesNotMatch(stdout, /their price differs|other tokens/);
    });
  });

  describe("an import from OpenRouter", () => {
    const folder = () => fixture("openrouter");
    const account = () => fleet.run.account_id;

    test("an import gives each key that works a new one with its limit, and the models that are here their names there", async () => {
      const args = ["openrouter", "--dump", folder(), "--account", account()];
      const planned = await runImport(fleet.run, args);
      assert.equal(planned.code, 0, planned.stderr);
      present(planned.stdout, [
        "+ alias openai/gpt-4o-mini of gpt-4o-mini",
        "+ alias anthropic/claude-sonnet-4.6 of claude-sonnet-4-6",
        "+ budget nightly (key): 5 USD a day",
        "+ budget team (key): 20 USD a week",
        "+ budget trial (key): 2.5 USD in total",
        "+ key production in place of sk-or-...c96",
        "! key paused: It is disabled.",
        "! key ended: It expired at 2026-01-01T00:00:00Z.",
      ]);
      assert.match(
        planned.stdout,
        /^! model meta-llama\/llama-3\.3-70b-instruct \(42 requests\): This gateway has no/m,
      );
      assert.match(planned.stdout, /^! 2 other models of OpenRouter: /m);
      const applied = await runImport(fleet.run, [...args, "--apply", "--mapping", mapping("openrouter")]);
      assert.equal(applied.code, 0, `${applied.stdout}\n${applied.stderr}`);
      const keys = new Map((await all<Key>("/keys")).map((key) => [key.key_alias, key]));
      assert.deepEqual([keys.get("production")?.max_budget, keys.get("production")?.budget_id], [100, null]);
      assert.equal(Date.parse(keys.get("research")?.expires ?? ""), Date.parse("2099-01-01T00:00:00Z"));
      assert.equal(keys.get("paused"), undefined);
      const client = await clientOf(fleet, mapping("openrouter"), "production");
      await waitFor(async () => (await client.post(chat, words("openai/gpt-4o-mini", 3))).status === 200, {
        what: "OpenRouter's name of a model in force",
      });
    });

    test("a comparison of its activity explains the sums of each day and model", async () => {
      const production = await clientOf(fleet, mapping("openrouter"), "production");
      const sentSince = { account: account(), from: new Date().toISOString() };
      const models = ["openai/gpt-4o-mini", "openai/gpt-4o-mini", "anthropic/claude-sonnet-4.6"];
      for (const model of models) assert.equal((await production.post(chat, words(model, 20))).status, 200);
      await waitFor(async () => (await all("/usage/events", sentSince)).length === models.length, {
        what: "the charges",
      });
      const events = await all<UsageEvent>("/usage/events", { account: account() });
      const isClaude = ({ model }: UsageEvent): boolean => model === "claude-sonnet-4-6";
      /** Equal for one model, 5.5 % more for the other, and of a third model that is not here. */
      const activity = events.map((event) => ({
        date: event.started_at.slice(0, dateLength),
        model: isClaude(event) ? "anthropic/claude-sonnet-4.6" : "openai/gpt-4o-mini",
        usage: (event.cost_nano_usd * (isClaude(event) ? 1.055 : 1)) / nanoPerUsd,
        byok_usage_inference: 0,
        requests: 1,
        prompt_tokens: (event.units["input_tokens"] ?? 0) + (event.units["cached_input_tokens"] ?? 0),
        completion_tokens: event.units["output_tokens"] ?? 0,
      }));
      const today = events[0]?.started_at.slice(0, dateLength) ?? "";
      const unknown = { ...activity[0], date: today, model: "meta-llama/llama-3.3-70b-instruct", usage: 0.015 };
      const copied = join(dir, "openrouter");
      await cp(folder(), copied, { recursive: true });
      await writeFile(join(copied, "activity.json"), JSON.stringify({ data: [...activity, unknown] }));
      const day = (offset: number): string =>
        new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, dateLength);
      const args = ["compare", "openrouter", "--dump", copied, "--account", account(), "--from", day(-1)];
      const { code, stdout, stderr } = await runImport(fleet.run, [...args, "--until", day(2), "--all"]);
      assert.equal(code, 2, `${stdout}\n${stderr}`);
      const claude = events.filter(isClaude).reduce((sum, event) => sum + event.cost_nano_usd, 0);
      const added = (claude * 0.055) / nanoPerUsd;
      const [, shown] = /^their price differs +\d+ +([\d.]+)$/m.exec(stdout) ?? [];
      assert.ok(Math.abs(Number(shown) - added) <= 2e-9, `${added}\n${stdout}`);
      assert.match(stdout, /^this gateway has no such request +1 +0\.015000000$/m);
      assert.match(stdout, /gpt-4o-mini .* equal$/m);
      assert.doesNotMatch(stdout, /other tokens/);
    });
  });
});
