import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, afterEach, before, describe, test } from "node:test";
import { adminApi } from "@uag/cli/commands/admin-api";
import { waitFor } from "@uag/harness/testing/wait-for";
import { repoRoot } from "@uag/local/paths";
import { type Simulator, startSimulator } from "@uag/simulator/service";
import OpenAI from "openai";
import { maxPollsInForce, Stage } from "./console/stage.ts";

const model = "gpt-4o-mini";
const hello = { model, messages: [{ role: "user" as const, content: "Hello!" }] };
const firstKey = "sk-the-first-key-of-the-journey-1111";
const thirdKey = "sk-the-third-key-of-the-journey-3333";
const secondKey = "sk-the-second-key-of-the-journey-2222";

interface Provider {
  readonly id: string;
  readonly revision: number;
  readonly state: string;
}

describe("providers in the running gateway", () => {
  let stage: Stage;
  /** In place of the provider itself. */
  let vendor: Simulator;
  const resources = new AsyncDisposableStack();

  before(async () => {
    vendor = resources.use(await startSimulator());
    stage = resources.use(await Stage.open({ egressAllow: `127.0.0.1:${vendor.port}` }));
  });
  after(() => resources.disposeAsync());
  afterEach(() => stage.closePages());

  let asked = 0;
  const ask = async (): Promise<void> => {
    const { base_url, api_key: apiKey } = stage.fleet.run;
    const client = new OpenAI({ baseURL: `${base_url}/v1`, apiKey, maxRetries: 0 });
    // Each is a conversation of its own, so that the keys in use share them.
    const messages = [{ role: "user" as const, content: `Hello ${++asked}!` }];
    await client.chat.completions.create({ model, messages });
  };
  const calls = () =>
    vendor.log.page({ since: 0, limit: 1_000 }).entries.filter(({ operation }) => operation === "chat.completions");

  test("an operator adds a key for openai in the console, and the next request goes there with it, without a file or a restart", async () => {
    await ask();
    assert.equal(calls().length, 0, "the simulator of the fleet responds first");
    const page = await stage.visit("/providers", "Providers");
    const row = page.getByRole("row").filter({ hasText: "openai" }).first();
    await row.filter({ hasText: "Simulated" }).waitFor();
    await row.click();
    const drawer = page.getByRole("dialog");
    await drawer.getByRole("textbox", { name: "API key" }).fill(firstKey);
    await drawer.getByLabel("Name").fill("Journey");
    await drawer.getByLabel("Base URL").fill("https://10.0.0.1/v1");
    await drawer.getByRole("button", { name: "Add key" }).click();
    await drawer.getByText(/not a public address/).waitFor();
    await drawer.getByLabel("Base URL").fill(`${vendor.url}/openai/v1`);
    await drawer.getByRole("button", { name: "Add key" }).click();
    await drawer.getByText("sk-...1111").waitFor();
    await drawer.getByText("In use").waitFor();
    await waitFor(
      async () => {
        await ask();
        return calls().length > 0;
      },
      { maxPolls: maxPollsInForce, what: "a request at the provider" },
    );
    assert.ok(!(await page.content()).includes(firstKey));
  });

  test("a second key is used at once, and after its deletion the first one again", async () => {
    const page = await stage.visit("/providers?provider=openai", "Providers");
    const drawer = page.getByRole("dialog");
    await drawer.getByRole("textbox", { name: "API key" }).fill(secondKey);
    await drawer.getByRole("button", { name: "Add key" }).click();
    await drawer.getByText("sk-...2222").waitFor();
    const keys = () => new Set(calls().map(({ key_hash }) => key_hash)).size;
    const askUntil = (condition: () => boolean) =>
      waitFor(
        async () => {
          await ask();
          return condition();
        },
        { maxPolls: maxPollsInForce, what: "the key in force" },
      );
    await askUntil(() => keys() === 2);
    await drawer.getByRole("row").filter({ hasText: "2222" }).getByRole("button", { name: "Delete" }).click();
    await page
      .getByRole("dialog", { name: /Delete the key/ })
      .getByRole("button", { name: "Delete" })
      .click();
    await page.getByText("The key was deleted.").waitFor();
    const first = calls()[0]?.key_hash;
    await askUntil(() => calls().at(-1)?.key_hash === first);
  });

  test("an operator adds a provider and a model in the console, the next request goes there, and a deletion ends it", async () => {
    const page = await stage.visit("/providers", "Providers");
    await page.getByRole("button", { name: "Add provider" }).click();
    const form = page.getByRole("dialog", { name: "Add provider" });
    await form.getByRole("textbox", { name: "Id" }).fill("own-server");
    await form.getByLabel("Base URL").fill("https://10.0.0.1/v1");
    await form.getByRole("textbox", { name: "API key" }).fill(thirdKey);
    await form.getByRole("button", { name: "Add provider" }).click();
    await form.getByText(/not a public address/).waitFor();
    await form.getByLabel("Base URL").fill(`${vendor.url}/vendor/v1`);
    await form.getByRole("button", { name: "Add provider" }).click();

    const drawer = page.getByRole("dialog", { name: "own-server" });
    await drawer.getByText("sk-...3333").waitFor();
    await drawer.getByText("No models yet").waitFor();
    await drawer.getByText("The provider responds.").waitFor();
    await drawer.getByText("Add one of the provider's models, then test again.").waitFor();
    await drawer.getByRole("button", { name: "Add model" }).click();
    await drawer.getByLabel("Model at the provider").fill("kimi-k3");
    await drawer.getByLabel("Context tokens").fill("131072");
    await drawer.getByLabel("Max output tokens").fill("8192");
    await drawer.getByLabel("USD per 1M input tokens").fill("0.6");
    await drawer.getByLabel("USD per 1M output tokens").fill("2.5");
    await drawer.getByRole("button", { name: "Add model" }).click();
    await drawer.getByText("own-server/kimi-k3").waitFor();
    await drawer.getByText("$0.60 / $2.50").waitFor();
    await drawer.getByRole("button", { name: "Test" }).click();
    await drawer.getByText(/own-server\/kimi-k3 was called: 0\.\d+ USD/).waitFor();

    const { base_url, api_key: apiKey } = stage.fleet.run;
    const client = new OpenAI({ baseURL: `${base_url}/v1`, apiKey, maxRetries: 0 });
    const served = () =>
      client.chat.completions.create({ ...hello, model: "own-server/kimi-k3" }).then(
        () => true,
        () => false,
      );
    const before = calls().length;
    await waitFor(served, { maxPolls: maxPollsInForce, what: "a response of the new model" });
    assert.ok(calls().length > before);
    await drawer
      .getByRole("row")
      .filter({ hasText: "own-server/kimi-k3" })
      .getByRole("button", { name: "Delete" })
      .click();
    await page
      .getByRole("dialog", { name: /Delete own-server\/kimi-k3/ })
      .getByRole("button", { name: "Delete" })
      .click();
    await drawer.getByText("No models yet").waitFor();
    await waitFor(async () => !(await served()), { maxPolls: maxPollsInForce, what: "the end of the model" });
    await drawer.getByRole("button", { name: "Add from the provider's list" }).click();
    await drawer.getByRole("checkbox", { name: "deepseek-flash" }).check();
    await drawer.getByRole("button", { name: "Add 1 model" }).click();
    await drawer.getByText("own-server/deepseek-flash").waitFor();
    await drawer.getByRole("button", { name: "Delete" }).last().click();
    await page
      .getByRole("dialog", { name: /Delete own-server/ })
      .getByRole("button", { name: "Delete" })
      .click();
    await page.getByRole("row").filter({ hasText: "own-server" }).filter({ hasText: "Deleted" }).waitFor();
    assert.ok(!(await page.content()).includes(thirdKey));
  });

  test("the command line adds a key that it reads from standard input, lists it and deletes it", async () => {
    const providers = (args: readonly string[], input = ""): string =>
      execFileSync(process.execPath, ["services/dev/cli/src/commands/providers.ts", ...args], {
        cwd: repoRoot,
        env: { ...process.env, DATA_DIR: stage.fleet.dataDir },
        input,
        encoding: "utf8",
      });
    const added = providers(["add-key", "voyage", "--name", "From the shell"], `${secondKey}\n`);
    const [, id = ""] = /^Added (cred_\w+) \(sk-\.\.\.2222\)/.exec(added) ?? assert.fail(added);
    assert.match(providers(["list"]), /voyage +serving +sk-\.\.\.2222/);
    assert.match(providers(["keys", "voyage"]), /From the shell/);
    assert.match(providers(["test", "gemini"]), /call +ok[\s\S]+was called for 0\.\d+ USD/);
    providers(["disable", "voyage", "--key", id]);
    assert.match(providers(["keys", "voyage"]), /From the shell +no/);
    providers(["delete-key", "voyage", "--key", id]);
    assert.ok(!providers(["keys", "voyage"]).includes(id));
  });

  test("a disabled provider gets no requests, and every change is in the audit log without the key", async () => {
    const api = adminApi(stage.fleet.run);
    const read = async () => (await api.call("GET", "/providers/openai")) as Provider;
    const change = async (fields: object) =>
      await api.call("PATCH", "/providers/openai", { revision: (await read()).revision, ...fields });
    await change({ enabled: false });
    assert.equal((await read()).state, "disabled");
    await waitFor(
      () =>
        ask().then(
          () => false,
          () => true,
        ),
      { maxPolls: maxPollsInForce, what: "a refusal" },
    );
    await change({ enabled: true });
    await waitFor(
      () =>
        ask().then(
          () => true,
          () => false,
        ),
      { maxPolls: maxPollsInForce, what: "a response" },
    );

    const rows: string[] = [];
    for await (const row of api.rows("/audit-log", {})) rows.push(JSON.stringify(row));
    const count = (action: string): number => rows.filter((row) => row.includes(`"${action}"`)).length;
    assert.deepEqual([count("credential.create"), count("credential.delete"), count("provider.update")], [3, 2, 2]);
    for (const key of [firstKey, secondKey, thirdKey]) assert.ok(!rows.join().includes(key));
  });
});
