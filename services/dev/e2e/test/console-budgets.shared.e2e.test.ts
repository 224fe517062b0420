import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { adminApi } from "@uag/cli/commands/admin-api";
import type { SharedFleet } from "@uag/harness/fleet/shared-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import type { Page } from "playwright-core";
import { Stage } from "./console/stage.ts";

const hello = { model: "text-embedding-3-small", input: "Hello!" };

describe("shared budgets in the console", () => {
  let stage: Stage<SharedFleet>;
  const resources = new AsyncDisposableStack();

  before(async () => {
    stage = resources.use(await Stage.share());
  });
  after(() => resources.disposeAsync());
  afterEach(() => stage.closePages());

  async function openAccount(): Promise<string> {
    const api = adminApi(stage.fleet.run);
    const { id } = (await api.call("POST", "/accounts", { name: "Budgeted" })) as { id: string };
    await api.call("POST", `/accounts/${id}/top-ups`, { amount_usd: "5", reference: "first" });
    return id;
  }

  async function createBudget(page: Page, fields: { name: string; amount: string; below?: string }): Promise<void> {
    await page.getByRole("button", { name: "New budget" }).click();
    const form = page.getByRole("dialog");
    await form.getByLabel("Name").fill(fields.name);
    await form.getByLabel("Amount").fill(fields.amount);
    if (fields.below !== undefined) {
      await form.getByRole("combobox", { name: "Below" }).click();
      await page.getByRole("option", { name: fields.below }).click();
    }
    await form.getByRole("button", { name: "Save" }).click();
    await form.waitFor({ state: "detached" });
  }

  async function act(page: Page, name: string, action: string): Promise<void> {
    await page.getByRole("button", { name: `Actions for ${name}` }).click();
    await page.getByRole("menuitem", { name: action }).click();
  }

  test("a key's spend is shown in its budget and the one above, and a budget in use is not deleted", async () => {
    const account = await openAccount();
    const page = await stage.visit(`/billing?account=${account}`, "Billing");
    await page.getByText("No shared budgets yet.").waitFor();
    await createBudget(page, { name: "Company", amount: "0.000001" });
    await createBudget(page, { name: "Research", amount: "2", below: "Company" });
    const tree = page.getByRole("list", { name: "Shared budgets" });
    const nested = tree.getByRole("listitem").getByRole("listitem");
    await nested.getByText("Research").waitFor();

    await act(page, "Company", "Edit");
    await page.getByRole("dialog").getByLabel("Amount").fill("4");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByRole("progressbar", { name: "Company: $0.00 spent and $0.00 reserved of $4.00" }).waitFor();

    const keys = await stage.visit(`/keys?account=${account}`, "API keys");
    await keys.getByRole("button", { name: "Create key" }).first().click();
    const form = keys.getByRole("dialog");
    await form.getByLabel("Name", { exact: true }).fill("researcher");
    await form.getByRole("combobox", { name: "Shared budget" }).click();
    await keys.getByRole("option", { name: "Company / Research" }).click();
    await form.getByRole("button", { name: "Create key" }).click();
    const client = await stage.takeKey(keys);
    await client.embeddings.create(hello);
    for (const name of ["Company", "Research"])
      await page.getByRole("progressbar", { name: new RegExp(`^${name}: \\$0\\.0+[1-9]\\d* spent`) }).waitFor();
    await keys.getByRole("row").filter({ hasText: "researcher" }).click();
    await keys.getByRole("dialog").getByRole("link", { name: "Company / Research" }).waitFor();

    const remove = async (name: string): Promise<void> => {
      await act(page, name, "Delete");
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    };
    const cancel = async (): Promise<void> => {
      await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
    };
    await remove("Company");
    await page.getByText("Other budgets are below this one: Research. Delete them first.").waitFor();
    await cancel();
    await remove("Research");
    await page.getByText("Keys use this budget: researcher. Give them another budget or none").waitFor();
    await cancel();

    await keys.getByRole("dialog").getByRole("button", { name: "Edit" }).click();
    await form.getByRole("combobox", { name: "Shared budget" }).click();
    await keys.getByRole("option", { name: "None", exact: true }).click();
    await form.getByRole("button", { name: "Save" }).click();
    await keys.getByText("Changes saved.").waitFor();
    await remove("Research");
    await nested.waitFor({ state: "detached" });
    await remove("Company");
    await page.getByText("No shared budgets yet.").waitFor();
    assert.equal(await tree.count(), 0);
  });

  test("a budget's limits are set, shown and removed, and hold for its keys", async () => {
    const account = await openAccount();
    const page = await stage.visit(`/billing?account=${account}`, "Billing");
    await page.getByRole("button", { name: "New budget" }).click();
    const form = page.getByRole("dialog");
    await form.getByLabel("Name").fill("Research");
    await form.getByLabel("Amount").fill("2");
    await form.getByLabel("Requests per minute").fill("1");
    await form.getByLabel("Concurrent requests").fill("5");
    await form.getByRole("combobox", { name: "Models" }).fill("text-embedding-3-small");
    await page.getByRole("option", { name: "text-embedding-3-small", exact: true }).click();
    await form.getByRole("button", { name: "Save" }).click();
    await form.waitFor({ state: "detached" });
    await page.getByText("1 request/min · 5 at once · 1 model").waitFor();
    const api = adminApi(stage.fleet.run);
    const { data } = (await api.call("GET", `/budgets?account=${account}`)) as { data: Record<string, unknown>[] };
    const [{ id, rpm_limit, tpm_limit, max_parallel_requests, models }] = data as [Record<string, unknown>];
    assert.deepEqual([rpm_limit, tpm_limit, max_parallel_requests, models], [1, null, 5, ["text-embedding-3-small"]]);
    const made = (await api.call("POST", "/keys", { account_id: account, budget_id: id })) as { key: string };
    const send = () =>
      fetch(`${stage.fleet.run.base_url}/v1/embeddings`, {
        method: "POST",
        headers: { authorization: `Bearer ${made.key}`, "content-type": "application/json" },
        body: JSON.stringify(hello),
      });
    assert.deepEqual([(await send()).status, (await send()).status], [200, 429]);
    await act(page, "Research", "Edit");
    await form.getByLabel("Requests per minute").fill("");
    await form.getByRole("button", { name: "Save" }).click();
    await form.waitFor({ state: "detached" });
    await page.getByText("5 at once · 1 model").waitFor();
    await waitFor(async () => (await send()).status === 200, { what: "a request without the limit" });
  });

  test("an alert on a shared budget is created for it and shows its name, and what is spent of it", async () => {
    const account = await openAccount();
    const page = await stage.visit(`/billing?account=${account}`, "Billing");
    await createBudget(page, { name: "Research", amount: "2" });
    await page.getByRole("button", { name: "New alert" }).click();
    const form = page.getByRole("dialog");
    await form.getByRole("combobox", { name: "Type" }).click();
    await page.getByRole("option", { name: "Shared budget used" }).click();
    await form.getByRole("combobox", { name: "Applies to" }).click();
    await page.getByRole("option", { name: "Research" }).click();
    await form.getByText("Each threshold is sent once per period of the budget.").waitFor();
    await form.getByLabel("Webhook URL").fill("https://example.com/hooks/spending");
    await form.getByRole("button", { name: "Save" }).click();
    await form.waitFor({ state: "detached" });
    await page.getByText("Research · Shared budget used").waitFor();
    await page.getByText("$0.00 / $2.00", { exact: true }).waitFor();
  });

  test("a budget that is not positive is refused next to its amount, and nothing is created", async () => {
    const account = await openAccount();
    const page = await stage.visit(`/billing?account=${account}`, "Billing");
    await page.getByRole("button", { name: "New budget" }).click();
    const form = page.getByRole("dialog");
    await form.getByLabel("Name").fill("Nothing");
    await form.getByLabel("Amount").fill("0");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("A budget must be more than 0.").first().waitFor();
    const { data } = (await adminApi(stage.fleet.run).call("GET", `/budgets?account=${account}`)) as { data: object[] };
    assert.deepEqual(data, []);
  });
});
