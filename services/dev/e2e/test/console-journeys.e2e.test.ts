import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, afterEach, before, describe, test } from "node:test";
import { adminApi } from "@uag/cli/commands/admin-api";
import { setFault } from "@uag/harness/fleet/faults";
import { type Receiver, startReceiver } from "@uag/harness/fleet/receiver";
import { waitFor } from "@uag/harness/testing/wait-for";
import OpenAI from "openai";
import { bytesOf, scriptsOf } from "./console/page-checks.ts";
import { maxPollsInForce, Stage, statusOf } from "./console/stage.ts";
import { settleUnpriced } from "./console/unpriced.ts";
import { MailServer } from "./mail/mail-server.ts";

const model = "gpt-4o-mini";
const hello = { model, messages: [{ role: "user" as const, content: "Hello!" }] };
/** Maximum size of the first page's scripts as transferred, bytes. */
const firstScriptBytes = 150_000;

describe("the console in a browser", () => {
  let stage: Stage;

  let receiver: Receiver;
  let mail: MailServer;
  const resources = new AsyncDisposableStack();

  before(async () => {
    receiver = resources.use(await startReceiver({ refuseEvery: 0 }));
    mail = resources.use(await MailServer.start());
    const smtp = { SMTP_URL: mail.url(), SMTP_CA: mail.ca, SMTP_FROM: "Gateway <gateway@example.com>" };
    const env = { ...smtp, ALERTS_EVERY_MS: "300" };
    stage = resources.use(await Stage.open({ egressAllow: receiver.address, env }));
  });
  after(() => resources.disposeAsync());
  afterEach(() => stage.closePages());

  /**
   * Resolves when the call gets this status, as it does as soon as a change of its key is in force.
   */
  const getsStatus = (status: number, call: () => Promise<unknown>): Promise<boolean> =>
    waitFor(async () => (await statusOf(call())) === status, {
      maxPolls: maxPollsInForce,
      what: `a response ${status}`,
    });

  test("the sign-in page loads less than 150 kB of compressed scripts, and no scripts of other pages only", async (t) => {
    const page = await stage.newPage("/sign-in");
    await page.getByLabel("Email").fill("somebody");
    const readyMs = Number(await page.evaluate("performance.now()"));
    await page.waitForLoadState("networkidle");
    const scripts = await scriptsOf(page);
    const bytes = bytesOf(scripts);
    t.diagnostic(`${scripts.length} scripts, ${bytes} bytes, ready for input after ${Math.round(readyMs)} ms`);
    assert.ok(bytes > 0 && bytes < firstScriptBytes, JSON.stringify(scripts));
    assert.ok(scripts.length <= 4, JSON.stringify(scripts));
  });

  test("a signed-in visitor's page loads its scripts without waiting for the session", async () => {
    const page = await stage.visit("/keys", "API keys");
    const scripts = page.waitForRequest(/\/assets\/keys-page-[^/]*\.js$/);
    await page.route("**/console/api/session", async (route) => {
      await scripts;
      await route.continue();
    });
    await page.reload();
    await page.getByRole("heading", { name: "API keys", level: 1 }).waitFor();
  });

  test("after the first sign-in, the first steps lead to a key, a request with the OpenAI SDK and its receipt", async () => {
    const page = await stage.visit("/", "Overview");
    await page.getByRole("link", { name: "Create an API key" }).click();
    const client = await stage.issueKey(page, "journey");
    const completion = await client.chat.completions.create(hello);
    assert.ok(completion.choices[0]?.message.content);
    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByRole("link", { name: "Open the request's receipt" }).click();
    const rows = page
      .getByRole("region", { name: "Requests", exact: true })
      .getByRole("row")
      .filter({ hasText: model });
    await rows.first().click();
    const receipt = page.getByRole("dialog");
    await receipt.getByText("input tokens").first().waitFor();
    await receipt.getByText("Billed as reported by the provider").waitFor();
  });

  test("two clicks show why a request failed: a provider's wrong key, and a stream that broke", async () => {
    // Its providers cool down after a wrong key.
    const failingModel = "gpt-4o";
    const { base_url, api_key: apiKey, simulator_url: simulator } = stage.fleet.run;
    const client = new OpenAI({ baseURL: `${base_url}/v1`, apiKey, maxRetries: 0 });
    const failing = async (faults: object, call: () => Promise<unknown>): Promise<void> => {
      const endFaults = await setFault(simulator, faults, { model: failingModel });
      assert.notEqual(await statusOf(call()), undefined);
      await endFaults();
    };
    const page = await stage.visit("/", "Overview");
    const explanation = page.getByRole("dialog").getByRole("alert");
    const open = async (code: string): Promise<void> => {
      await page.getByRole("row").filter({ hasText: code }).first().click();
      await explanation.getByText("Why it failed").waitFor();
    };
    await failing({ status: 401 }, () => client.chat.completions.create({ ...hello, model: failingModel }));
    await page.getByRole("link", { name: "Usage" }).click();
    await open("upstream_error");
    await explanation.getByText("openai rejected the gateway's API key or account.").waitFor();
    await explanation.getByText(/Incorrect API key provided/).waitFor();
    await page.getByText("Provider request ID").waitFor();
    await page.getByRole("button", { name: "Close" }).click();
    const response = async (): Promise<string> =>
      (
        await fetch(`${base_url}/v1/chat/completions`, {
          method: "POST",
          headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
          body: JSON.stringify({ ...hello, model: failingModel, stream: true }),
        })
      )
        .text()
        .catch(() => "cut");
    await failing({ "error-event": 4 }, response);
    await page.getByRole("row").filter({ hasText: "upstream_error" }).nth(1).waitFor();
    await open("upstream_error");
    await explanation.getByText("The client had received part of the response.").waitFor();
  });

  test("a key's page shows why it gets 429, beside its limits and their current use", async () => {
    const api = adminApi(stage.fleet.run);
    const limits = { rpm_limit: 2, max_parallel_requests: 5, max_budget: 1 };
    const body = { account_id: stage.fleet.run.account_id, key_alias: "short of permits", ...limits };
    const { key: apiKey } = (await api.call("POST", "/keys", body)) as { key: string };
    const client = new OpenAI({ baseURL: `${stage.fleet.run.base_url}/v1`, apiKey, maxRetries: 0 });
    const page = await stage.visit("/", "Overview");
    await page.getByRole("link", { name: "API keys" }).click();
    await page.getByRole("row").filter({ hasText: "short of permits" }).click();
    const use = page.getByRole("region", { name: "Current usage" });
    await use.getByText("0 of 2", { exact: true }).waitFor();
    for (const status of [200, 200, 429]) assert.equal(await statusOf(client.chat.completions.create(hello)), status);
    await use.getByText("2 of 2", { exact: true }).waitFor();
    await use.getByText(/of \$1\.00$/).waitFor();
    const refused = page.getByRole("region", { name: "Refused requests" });
    await refused.getByText(/^This key has reached its limit of 2 requests a minute\./).waitFor();
    await refused.getByRole("link", { name: "View all refused requests" }).click();
    await page.getByRole("button", { name: "Requests per minute · 1" }).click();
    const row = page.getByRole("region", { name: "Refused requests" }).getByRole("row").filter({ hasText: "429" });
    await row.getByRole("link", { name: /short of permits/ }).waitFor();
  });

  test("the overview shows today's spend, the top models and a request to copy", async () => {
    const { base_url: baseURL, api_key: apiKey } = stage.fleet.run;
    const client = new OpenAI({ baseURL: `${baseURL}/v1`, apiKey, maxRetries: 0 });
    const page = await stage.visit("/", "Overview");
    await client.chat.completions.create(hello);
    await page.getByRole("link", { name: model }).waitFor();
    await page.getByText(/^Providers in the last hour$/).waitFor();
    const sample = page.getByRole("region", { name: "Sample request" });
    assert.match((await sample.textContent()) ?? "", /^curl .*\/v1\/chat\/completions/);
  });

  test("changes made elsewhere appear on an open page without a reload", async () => {
    const page = await stage.visit("/keys", "API keys");
    const client = await stage.issueKey(page, "live");
    await page.getByRole("link", { name: "Usage" }).click();
    const rows = page
      .getByRole("region", { name: "Requests", exact: true })
      .getByRole("row")
      .filter({ hasText: "text-embedding-3" });
    await page.getByRole("heading", { level: 1, name: "Usage" }).waitFor();
    await page.waitForLoadState("load");
    const other = await stage.visit("/keys", "API keys");
    await page.evaluate("window.isFirst = true");
    assert.equal(await rows.count(), 0);
    await client.embeddings.create({ model: "text-embedding-3-small", input: "Hello!" });
    await rows.first().waitFor();
    await page.getByRole("link", { name: "API keys" }).click();
    await page.getByRole("row").filter({ hasText: "live" }).waitFor();
    await stage.issueKey(other, "made elsewhere");
    await page.getByRole("row").filter({ hasText: "made elsewhere" }).waitFor();
    assert.equal(await page.evaluate("window.isFirst"), true, "the page was not reloaded");
  });

  test("usage is grouped by the keys' tags, with several keys of one tag combined", async () => {
    const api = adminApi(stage.fleet.run);
    for (const tags of [["search"], ["search"], ["mobile", "beta"]]) {
      const body = { account_id: stage.fleet.run.account_id, metadata: { tags } };
      const { key: apiKey } = (await api.call("POST", "/keys", body)) as { key: string };
      const client = new OpenAI({ baseURL: `${stage.fleet.run.base_url}/v1`, apiKey });
      await client.chat.completions.create(hello);
    }
    const page = await stage.visit("/usage?by=tag&show=requests", "Usage");
    const legend = page.locator(".recharts-legend-wrapper");
    await legend.getByText("beta + mobile").waitFor();
    await legend.getByText("search").waitFor();
    assert.equal(await legend.getByText("search").count(), 1);
  });

  test("an export has the filters, outcome and time range of the page's address", async () => {
    const { account_id, base_url, api_key: apiKey } = stage.fleet.run;
    await new OpenAI({ baseURL: `${base_url}/v1`, apiKey }).chat.completions.create(hello);
    const view = { account: account_id, range: "hour24", model, operation: "chat.completions" };
    const page = await stage.visit(`/usage?${new URLSearchParams(view)}`, "Usage");
    await page.getByRole("row").filter({ hasText: model }).first().waitFor();
    assert.equal(await page.getByRole("combobox", { name: "Operation" }).inputValue(), "chat.completions");
    const exported = async (): Promise<string[]> => {
      await page.getByRole("button", { name: "Export" }).click();
      const started = page.waitForEvent("download");
      const link = page.getByRole("menuitem", { name: "Export as JSON Lines" });
      const { searchParams } = new URL((await link.getAttribute("href")) ?? "", base_url);
      const hoursAgo = (Date.now() - Date.parse(searchParams.get("from") ?? "")) / 3_600_000;
      assert.ok(hoursAgo >= 23 && hoursAgo <= 26, `from ${hoursAgo} hours ago`);
      await link.click();
      return (await readFile(await (await started).path(), "utf8")).split("\n").filter((line) => line !== "");
    };
    const rows = (await exported()).map((line) => JSON.parse(line) as { model: string; outcome: string });
    assert.ok(rows.length > 0);
    for (const row of rows) assert.equal(row.model, model);
    await page.getByRole("button", { name: "More filters" }).click();
    await page.getByRole("combobox", { name: "Outcome" }).click();
    await page.getByRole("option", { name: "Process crashed" }).click();
    await page.getByText("No requests in this time range").waitFor();
    await page.keyboard.press("Escape");
    assert.deepEqual(await exported(), []);
  });

  test("Ctrl-K finds a request by the client's own id, and the address keeps the search and the columns", async () => {
    const { account_id, base_url, api_key: apiKey } = stage.fleet.run;
    const client = new OpenAI({ baseURL: `${base_url}/v1`, apiKey });
    const headers = { "x-request-id": "order-2041" };
    const { _request_id: requestId } = await client.chat.completions.create(hello, { headers });
    const page = await stage.visit(`/keys?account=${account_id}`, "API keys");
    const rows = page.locator("tbody tr[tabindex]");
    await page.keyboard.press("Control+k");
    await page.getByPlaceholder(/^Search pages/).fill("order-2041");
    await page.getByText("Find request order-2041").click();
    await waitFor(async () => (await rows.count()) === 1, { what: "only the request with this id" });
    assert.equal(new URL(page.url()).searchParams.get("id"), "order-2041");
    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Provider" }).click();
    await page.getByRole("columnheader", { name: "Provider" }).waitFor();
    await page.reload();
    await page.getByRole("columnheader", { name: "Provider" }).waitFor();
    await rows.first().click();
    const receipt = page.getByRole("dialog");
    await receipt.getByText("order-2041").waitFor();
    await receipt
      .getByText(requestId ?? "")
      .first()
      .waitFor();
    await page.keyboard.press("Escape");
    await page.getByLabel("Search by request ID").fill("no-such-id");
    await page.getByText("No request has this ID").waitFor();
  });

  test("many keys are shown page by page, and searched and sorted together", async () => {
    const api = adminApi(stage.fleet.run);
    const { account_id } = stage.fleet.run;
    const names = Array.from({ length: 60 }, (_, n) => `many-${String(n).padStart(2, "0")}`);
    for (const keyAlias of names) await api.call("POST", "/keys", { account_id, key_alias: keyAlias });
    const page = await stage.visit("/keys?q=many&sort=name", "API keys");
    const rows = page.locator("tbody tr[tabindex]");
    await page.getByText("1–50 of 60").waitFor();
    await rows.nth(49).waitFor();
    assert.equal(await rows.count(), 50);
    await page.getByRole("button", { name: "Next page" }).click();
    await page.getByText("51–60 of 60").waitFor();
    await rows.first().getByText("many-50").waitFor();
    await page.getByRole("button", { name: "Name" }).click();
    await page.getByText("1–50 of 60").waitFor();
    await rows.first().getByText("many-59").waitFor();
    await page.getByLabel("Search by name, key, tag, or ID").fill("many-03");
    await waitFor(async () => (await rows.count()) === 1, { what: "only the matching key" });
  });

  test("a limit of requests per minute takes effect within a second of being saved", async () => {
    const page = await stage.visit("/keys", "API keys");
    const client = await stage.issueKey(page, "throttled");
    assert.equal(await statusOf(client.chat.completions.create(hello)), 200);
    await page.getByRole("row").filter({ hasText: "throttled" }).click();
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Requests per minute").fill("1");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("They apply within a second").first().waitFor();
    await getsStatus(429, () => client.chat.completions.create(hello));
  });

  test("a regenerated key works at once, and the old secret stops at the chosen time", async () => {
    const page = await stage.visit("/keys", "API keys");
    const old = await stage.issueKey(page, "renewed");
    assert.equal(await statusOf(old.models.list()), 200);
    await page.getByRole("row").filter({ hasText: "renewed" }).click();
    await page.getByRole("button", { name: "Regenerate" }).click();
    const question = page.getByRole("dialog").filter({ hasText: "Regenerate API key?" });
    await question.getByRole("combobox").click();
    await page.getByRole("option", { name: "Immediately" }).click();
    await question.getByRole("button", { name: "Regenerate" }).click();
    const renewed = await stage.takeKey(page);
    assert.equal(await statusOf(renewed.models.list()), 200);
    await getsStatus(401, () => old.models.list());
    assert.equal(await statusOf(renewed.models.list()), 200);
  });

  test("a key's recent use is shown before its revocation, and requests get 401 afterwards", async () => {
    const page = await stage.visit("/keys", "API keys");
    const client = await stage.issueKey(page, "to be revoked");
    const revoke = page.getByRole("button", { name: "Revoke", exact: true });
    await page.getByRole("row").filter({ hasText: "to be revoked" }).click();
    await page.getByText(/^0 requests ·/).waitFor();
    assert.equal(await statusOf(client.chat.completions.create(hello)), 200);
    await page.getByText(/^1 request ·/).waitFor();
    await revoke.click();
    await page.getByText(/This key is in use: last used .+, with 1 request in the last hour\./).waitFor();
    await page.getByRole("button", { name: "Revoke key" }).click();
    await page.getByText("Key revoked.").waitFor();
    await getsStatus(401, () => client.chat.completions.create(hello));
  });

  test("spending is reported by webhook and e-mail, and a delivery is replayed under its id", async () => {
    const page = await stage.visit("/billing", "Billing");
    await page.getByRole("button", { name: "New alert" }).click();
    const form = page.getByRole("dialog");
    await form.getByLabel("Name").fill("Research");
    await form.getByLabel("Monthly amount").fill("0.000001");
    await form.getByLabel("Email recipients").fill("team@example.com");
    await form.getByLabel("Email recipients").press("Enter");
    await form.getByLabel("Webhook URL").fill(receiver.url);
    await form.getByRole("button", { name: "Save" }).click();
    await form.waitFor({ state: "detached" });
    const { base_url, api_key: apiKey } = stage.fleet.run;
    await new OpenAI({ baseURL: `${base_url}/v1`, apiKey }).chat.completions.create(hello);
    const [letter] = await waitFor(() => mail.letters.length > 0 && mail.letters, { what: "the e-mail" });
    assert.deepEqual([letter?.to, letter?.isEncrypted], ["team@example.com", true]);
    assert.match(letter?.text ?? "", /^Subject: Research: 100% of \$0\.000001 is spent/m);
    const [first] = await waitFor(() => receiver.received.length > 0 && receiver.received, { what: "the webhook" });
    assert.equal(first?.type, "spend.threshold_reached");
    await page.getByRole("link", { name: "Deliveries" }).click();
    await page.getByRole("row").filter({ hasText: receiver.address }).filter({ hasText: "Delivered" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Resend" }).click();
    await waitFor(() => receiver.received.length > 1, { what: "the replayed webhook" });
    assert.deepEqual(
      receiver.received.map(({ id }) => id),
      [first?.id, first?.id],
    );
    assert.equal(mail.letters.length, 1);
  });

  test("an operator prices an unpriced request: the ledger charges it once, and it is no longer unpriced", async () => {
    const { run } = stage.fleet;
    await settleUnpriced(run, "req_unpriced");
    const page = await stage.visit("/unpriced", "Unpriced requests");
    const row = page.getByRole("row").filter({ hasText: "req_unpriced" });
    await row.click();
    const question = page.getByRole("dialog");
    await question.getByLabel("Cost (USD)").fill("0.125");
    await question.getByRole("button", { name: "Set price" }).click();
    await page.getByText("1 request corrected.").waitFor();
    await row.waitFor({ state: "detached" });
    await page.getByText("All requests are priced").waitFor();
    const charges: string[] = [];
    for await (const entry of adminApi(run).rows("/ledger", { request_id: "req_unpriced" })) {
      const { kind, charged_usd } = entry as { kind: string; charged_usd: string };
      if (kind === "repair") charges.push(charged_usd);
    }
    assert.deepEqual(charges, ["0.125000000"]);
    await page.goto(`${run.console_url}/billing?account=${run.account_id}`);
    await page.getByRole("row").filter({ hasText: "Price correction" }).filter({ hasText: "0.125" }).waitFor();
  });

  test("an expired session redirects to the sign-in page, and the sign-in back to the requested page", async () => {
    const page = await stage.visit("/models?q=gpt", "Models");
    await page.getByText("GPT-4o mini", { exact: true }).waitFor();
    await page.context().clearCookies();
    await page.getByRole("link", { name: "Audit log" }).click();
    await page.getByText("Your session has expired").waitFor();
    await stage.fillIn(page);
    await page.getByRole("heading", { level: 1, name: "Audit log" }).waitFor();
  });
});
