import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { adminApi } from "@uag/cli/commands/admin-api";
import type { SharedFleet } from "@uag/harness/fleet/shared-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import OpenAI from "openai";
import type { Locator, Page } from "playwright-core";
import { Stage } from "./console/stage.ts";

const hello = { model: "text-embedding-3-small", input: "Hello!" };
const rowsPerPage = 50;

describe("lists and statements of the console", () => {
  let stage: Stage<SharedFleet>;
  let client: OpenAI;
  const resources = new AsyncDisposableStack();

  before(async () => {
    stage = resources.use(await Stage.share());
    const { base_url, api_key: apiKey } = stage.fleet.run;
    client = new OpenAI({ baseURL: `${base_url}/v1`, apiKey });
    for (let sent = 0; sent < rowsPerPage + 5; sent++) await client.embeddings.create(hello);
  });
  after(() => resources.disposeAsync());
  afterEach(() => stage.closePages());

  /** A page about this file's account alone. */
  const visitOwn = (path: string, heading: string): Promise<Page> =>
    stage.visit(`${path}?account=${stage.fleet.run.account_id}`, heading);
  /** Resolves when a locator matches this many elements. */
  const hasRows = (rows: Locator, count: number): Promise<boolean> =>
    waitFor(async () => (await rows.count()) === count, { what: `${count} rows` });

  test("live updates keep the loaded pages, fetch only the first page and announce new rows", async () => {
    const page = await visitOwn("/usage", "Usage");
    const rows = page.locator("tbody tr[tabindex]");
    await hasRows(rows, rowsPerPage);
    await page.getByRole("button", { name: "Show more" }).click();
    await hasRows(rows, rowsPerPage + 5);
    await page.mouse.move(1, 1);
    const fetched: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/usage/events?"))
        fetched.push(new URL(request.url()).searchParams.get("after") ?? "");
    });
    await client.embeddings.create(hello);
    const pending = page.getByRole("button", { name: "1 new row" });
    await pending.waitFor();
    assert.equal(await rows.count(), rowsPerPage + 5);
    assert.ok(fetched.length > 0);
    assert.deepEqual([...new Set(fetched)], [""]);
    await pending.click();
    await hasRows(rows, rowsPerPage + 6);
    assert.equal(await pending.count(), 0);
  });

  test("rows stay in place while the pointer is over them", async () => {
    const page = await visitOwn("/usage", "Usage");
    const rows = page.locator("tbody tr[tabindex]");
    await hasRows(rows, rowsPerPage);
    await rows.nth(2).hover();
    const before = await rows.allTextContents();
    await client.embeddings.create(hello);
    const pending = page.getByRole("button", { name: "1 new row" });
    await pending.waitFor();
    assert.deepEqual(await rows.allTextContents(), before);
    await page.mouse.move(1, 1);
    await pending.waitFor({ state: "detached" });
  });

  test("a reservation and a release show their amount in the ledger", async () => {
    const page = await visitOwn("/billing", "Billing");
    await page.getByRole("switch", { name: "Show reservations and releases" }).click();
    const reserved = page.getByRole("region", { name: "Ledger" }).getByRole("row").filter({ hasText: "Reserved" });
    await reserved.first().waitFor();
    for (const text of await reserved.allTextContents()) assert.doesNotMatch(text, /\$0\.00(?!\d)/, text);
  });

  test("a statement is printed dark on white even in dark mode", async () => {
    const month = new Date().toISOString().slice(0, 7);
    const page = await visitOwn(`/billing/${month}`, `Statement ${month}`);
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    await page.getByText("Closing balance").waitFor();
    const color = await page.evaluate("getComputedStyle(document.querySelector('main strong')).color");
    assert.equal(color, "rgb(0, 0, 0)");
    const paper = await page.evaluate("getComputedStyle(document.body).backgroundColor");
    assert.equal(paper, "rgb(255, 255, 255)");
  });

  test("an unknown account is shown as not found, not as empty", async () => {
    const page = await stage.newPage("/keys?account=acct_missing");
    await stage.fillIn(page);
    await page.getByText("Account not found").waitFor();
    await page.getByRole("link", { name: "Show all accounts" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    assert.equal(await page.getByText("Account not found").count(), 0);
  });

  test("an operator disables an account in the console: its keys are refused, and the list of accounts shows it as disabled", async () => {
    const api = adminApi(stage.fleet.run);
    const { id } = (await api.call("POST", "/accounts", { name: "Overspender" })) as { id: string };
    await api.call("POST", `/accounts/${id}/top-ups`, { amount_usd: "1", reference: "first" });
    const { key: apiKey } = (await api.call("POST", "/keys", { account_id: id })) as { key: string };
    const theirs = new OpenAI({ baseURL: client.baseURL, apiKey, maxRetries: 0 });
    await theirs.embeddings.create(hello);

    const page = await stage.visit("/accounts", "Accounts");
    const row = page.getByRole("row").filter({ hasText: "Overspender" });
    const toggle = async (): Promise<void> => {
      await row.getByRole("button", { name: "Edit account: Overspender" }).click();
      await page.getByRole("switch", { name: "Disable the account" }).click();
      await page.getByRole("button", { name: "Save" }).click();
    };
    await toggle();
    await row.getByText("Disabled").waitFor();
    const code = () =>
      theirs.embeddings.create(hello).then(
        () => undefined,
        (error: unknown) => (error as { code?: string }).code,
      );
    await waitFor(async () => (await code()) === "account_disabled", { what: "refusals" });
    await toggle();
    await row.getByText("Disabled").waitFor({ state: "detached" });
    await waitFor(async () => (await code()) === undefined, { what: "requests to succeed" });
  });

  test("keys of all accounts fit into 1360 pixels, with their accounts by name", async () => {
    const api = adminApi(stage.fleet.run);
    const account = (await api.call("POST", "/accounts", { name: "Research and Development" })) as { id: string };
    const fields = { rpm_limit: 10_000, tpm_limit: 2_000_000, max_parallel_requests: 500, max_budget: 25_000 };
    const alias = "production checkout service eu-central";
    await api.call("POST", "/keys", { account_id: account.id, key_alias: alias, ...fields });
    const page = await stage.visit("/keys", "API keys");
    await page.setViewportSize({ width: 1360, height: 900 });
    const row = page.getByRole("row").filter({ hasText: alias });
    await row.getByText("Research and Development").waitFor();
    const table = page.getByRole("region", { name: "API keys" });
    const hidden = await table.evaluate((element) => element.scrollWidth - element.clientWidth);
    assert.ok(hidden <= 0, `${hidden} pixels are cut off`);
    assert.equal(await page.getByText(account.id).count(), 0);
  });
});
