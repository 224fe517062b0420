import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { adminApi } from "@uag/cli/commands/admin-api";
import { serviceNames } from "@uag/contract/routes";
import { setFault } from "@uag/harness/fleet/faults";
import { waitFor } from "@uag/harness/testing/wait-for";
import type { Page } from "playwright-core";
import { clientId, clientSecret, startProvider } from "./console/oidc-provider.ts";
import { Stage } from "./console/stage.ts";

const password = "correct horse battery staple";
const people = { olga: { email: "olga@example.com", email_verified: true, name: "Olga", groups: ["admins"] } };

describe("users of a console with two replicas", () => {
  let stage: Stage;
  const resources = new AsyncDisposableStack();

  before(async () => {
    const provider = resources.use(await startProvider(people));
    const env = {
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: clientId,
      OIDC_CLIENT_SECRET: clientSecret,
      OIDC_LABEL: "Example",
      OIDC_ROLES: "admins=operator",
    };
    stage = resources.use(await Stage.open({ single: false, replicas: { console: 2 }, env }));
    provider.allow(`${stage.fleet.run.console_url}/api/oidc/callback`);
  });
  after(() => resources.disposeAsync());
  afterEach(() => stage.closePages());

  /** Invites a user on the members page, and accepts the link in another browser context. */
  async function join(operator: Page, email: string, role: string, account?: string): Promise<Page> {
    await operator.getByRole("button", { name: "Invite" }).click();
    const dialog = operator.getByRole("dialog");
    await dialog.getByLabel("Email").fill(email);
    await dialog.getByRole("combobox", { name: "Role" }).click();
    await operator.getByRole("option", { name: role }).click();
    if (account !== undefined) {
      await dialog.getByRole("combobox", { name: "Account" }).click();
      await operator.getByRole("option", { name: account }).click();
    }
    await dialog.getByRole("button", { name: "Create invitation" }).click();
    const link = await dialog.getByLabel("Invitation link").inputValue();
    await dialog.getByRole("button", { name: "Done" }).click();
    const page = await stage.newPage(link.slice(stage.fleet.run.console_url.length));
    await page.getByLabel("Your name").fill(email);
    await page.getByRole("textbox", { name: "Password" }).fill(password);
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByRole("heading", { level: 1, name: role === "Member" ? "API keys" : "Overview" }).waitFor();
    return page;
  }

  test("both replicas run and share their sessions", async () => {
    const running = stage.fleet.processes.names().filter((name) => name.startsWith("console"));
    assert.equal(running.length, 2, running.join(" "));
    const page = await stage.visit("/profile", "Profile");
    for (let times = 0; times < 6; times++) {
      await page.reload();
      await page.getByText("This device").waitFor();
    }
  });

  test("a user joins by an invitation link, and as a member sees neither other accounts nor other users' keys", async () => {
    const api = adminApi(stage.fleet.run);
    const other = (await api.call("POST", "/accounts", { name: "Somebody else's" })) as { id: string };
    await api.call("POST", "/keys", { account_id: other.id, key_alias: "a stranger's key" });
    const operator = await stage.visit("/members", "Members");
    const member = await join(operator, "max@example.com", "Member");
    await member.getByText("No API keys yet").waitFor();
    await stage.issueKey(member, "Max's own");
    await member.getByRole("row").filter({ hasText: "Max's own" }).waitFor();
    await member.goto(`${stage.fleet.run.console_url}/keys?account=${other.id}`);
    await member.getByRole("heading", { level: 1, name: "API keys" }).waitFor();
    await member.getByRole("row").filter({ hasText: "Max's own" }).waitFor();
    assert.equal(await member.getByText("a stranger's key").count(), 0);
    assert.equal(await member.getByRole("link", { name: "Accounts" }).count(), 0);
    assert.equal(await member.getByRole("link", { name: "Fleet" }).count(), 0);
  });

  test("an invitation is for the shown account unless another is chosen", async () => {
    const other = (await adminApi(stage.fleet.run).call("POST", "/accounts", { name: "Shown" })) as { id: string };
    const operator = await stage.visit(`/members?account=${other.id}`, "Members");
    await operator.getByRole("button", { name: "Invite" }).click();
    const account = operator.getByRole("dialog").getByRole("combobox", { name: "Account" });
    await waitFor(async () => (await account.inputValue()) === "Shown", { what: "the account" });
  });

  test("an auditor of all accounts sees every account and the fleet, and can change nothing", async () => {
    const operator = await stage.visit("/members", "Members");
    const auditor = await join(operator, "ada@example.com", "Auditor", "All accounts");
    await auditor.getByRole("link", { name: "API keys" }).first().click();
    await auditor.getByRole("row").filter({ hasText: "default" }).first().waitFor();
    assert.equal(await auditor.getByRole("button", { name: "Create key" }).count(), 0);
    await auditor.getByRole("link", { name: "Accounts" }).click();
    await auditor.getByRole("row").filter({ hasText: stage.fleet.run.account_id }).waitFor();
    await auditor.getByRole("link", { name: "Fleet" }).click();
    await auditor.getByRole("region", { name: "Processes" }).getByText("billing", { exact: true }).waitFor();
  });

  test("a user signs in at the OpenID Connect provider and returns to the requested page", async () => {
    const page = await stage.newPage("/models?q=sonnet");
    await page.getByRole("link", { name: "Example" }).click();
    await page.locator("input[name=login]").fill("olga");
    await page.locator("input[name=password]").fill("x");
    await page.locator("button[type=submit]").click();
    await page.locator("button[type=submit]").click();
    await page.getByRole("heading", { level: 1, name: "Models" }).waitFor();
    assert.match(page.url(), /\/console\/models\?q=sonnet/);
    await page.getByRole("button", { name: "Olga" }).click();
    await page.getByText("olga@example.com").waitFor();
  });

  test("a top-up is shown immediately in the balance, the ledger and the month", async () => {
    const page = await stage.visit(`/billing?account=${stage.fleet.run.account_id}`, "Billing");
    await page.getByRole("button", { name: "Top up" }).click();
    await page.getByLabel("Amount").fill("12.345678901");
    await page.getByLabel("Note").fill("Invoice 7");
    await page.getByRole("dialog").getByRole("button", { name: "Top up" }).click();
    await page.getByText("Top-up added.").waitFor();
    await page.getByText("$112.35").first().waitFor();
    await page.getByRole("row").filter({ hasText: "Top-up" }).filter({ hasText: "$12.35" }).waitFor();
    await page
      .getByRole("link", { name: /^\d{4}-\d{2}$/ })
      .first()
      .click();
    await page.getByText("$112.345678901").first().waitFor();
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.getByRole("navigation").isVisible(), false);
    assert.equal(await page.getByRole("button", { name: "Print" }).isVisible(), false);
    assert.equal(await page.getByText("$112.345678901").first().isVisible(), true);
  });

  test("models are compared side by side, and the calculator shows the cost of a request", async () => {
    const page = await stage.visit("/models?q=gpt-4o", "Models");
    for (const name of ["GPT-4o mini", "GPT-4o"]) await page.getByLabel(`Compare ${name}`, { exact: true }).check();
    await page.getByRole("button", { name: "Compare (2)" }).click();
    const dialog = page.getByRole("dialog");
    const prices = dialog.getByRole("row").filter({ hasText: "output tokens" }).first();
    await prices.waitFor();
    assert.equal(await prices.locator("td").count(), 2);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    const compare = page.getByLabel("Compare GPT-4o mini", { exact: true });
    await page.getByRole("row").filter({ has: compare }).click();
    await page.getByText("Providers, last hour").waitFor();
    await page.getByRole("textbox", { name: "input tokens", exact: true }).fill("1000000");
    await page.getByRole("textbox", { name: "output tokens", exact: true }).fill("0");
    await page.getByText("Per request").locator("..").getByText("$0.15").waitFor();
  });

  test("a request above its hold is shown on the fleet page, and one above ten times its hold is charged the hold until an operator prices it", async () => {
    const { fleet } = stage;
    const model = "gpt-4o-mini";
    const lie = async (times: number): Promise<string> => {
      const endFaults = await setFault(fleet.run.simulator_url, { "usage-lie": times }, { model });
      const messages = [{ role: "user", content: "Hello" }];
      const response = await fleet.client.post("/v1/chat/completions", { model, max_tokens: 8, messages });
      await endFaults();
      assert.equal(response.status, 200);
      return response.headers.get("x-request-id") ?? "";
    };
    await lie(10);
    const requestId = await lie(1_000);
    const page = await stage.visit("/fleet", "Fleet");
    const row = page.getByRole("alert").getByRole("row").filter({ hasText: model });
    await row
      .filter({ hasText: "openai" })
      .getByText(/^\d+(?:\.\d)?×$/)
      .waitFor();
    await row.getByRole("cell").nth(1).filter({ hasText: /^2$/ }).waitFor();
    await page.getByRole("link", { name: "Unpriced requests" }).click();
    const waiting = page.getByRole("row").filter({ hasText: requestId });
    await waiting.click();
    await page.getByLabel("Cost (USD)").fill("0.001");
    await page.getByRole("dialog").getByRole("button", { name: "Set price" }).click();
    await waiting.waitFor({ state: "detached" });
    const charged: Record<string, string> = {};
    for await (const entry of adminApi(fleet.run).rows("/ledger", { request_id: requestId })) {
      const { kind, charged_usd } = entry as { kind: string; charged_usd: string };
      charged[kind] = charged_usd;
    }
    const held = Number(charged["settle"]);
    assert.ok(held > 0 && held < 0.0001, JSON.stringify(charged));
    assert.equal((held + Number(charged["repair"])).toFixed(9), "0.001000000");
  });

  test("an operator accepts a price on the prices page: a doubling needs a second look, and the price is charged within seconds", async () => {
    const { fleet } = stage;
    const api = adminApi(fleet.run);
    const model = "gpt-4.1-mini";
    const listed = { input_tokens: 0.4, output_tokens: 1.6 };
    const put = async (name: string, inputFactor: number, outputFactor: number): Promise<void> => {
      const rates = {
        input_tokens: (listed.input_tokens * inputFactor).toFixed(6),
        output_tokens: (listed.output_tokens * outputFactor).toFixed(6),
      };
      const price = { provider: "openai", model, link: "https://vendor.example/pricing", rates };
      await api.call("POST", "/prices/tables", { name, origin: `${name} 1`, prices: [price] });
    };
    await put("litellm", 2, 1.5);
    await put("genai-prices", 1, 1.5);
    const page = await stage.visit("/prices", "Prices");
    await page.getByRole("row").filter({ hasText: model }).filter({ hasText: "+50%" }).click();
    const review = page.getByRole("dialog");
    await review.getByRole("row").filter({ hasText: "input_tokens" }).getByText("The tables disagree").waitFor();
    await review.getByRole("link", { name: "Vendor's page" }).waitFor();
    assert.equal(await review.getByRole("button", { name: "Accept" }).isEnabled(), true);
    await review.getByText("All prices of litellm").click();
    await review.getByText(/It at least doubles input_tokens/).waitFor();
    assert.equal(await review.getByRole("button", { name: "Accept" }).isEnabled(), false);
    await review.getByLabel("I checked these prices on the vendor's page").check();
    await review.getByRole("button", { name: "Accept" }).click();
    await page.getByText(`The new price of ${model} takes effect within seconds.`).waitFor();
    await page.getByRole("row").filter({ hasText: model }).filter({ hasText: "-50%" }).waitFor();
    const { data } = (await api.call("GET", "/audit-log?action=price.accept")) as {
      data: { target_id: string; after: { price_version: string; price: { input_tokens: number } } }[];
    };
    assert.deepEqual([data[0]?.target_id, data[0]?.after.price.input_tokens], [model, listed.input_tokens * 2]);
    const versionOfNext = async (): Promise<string> => {
      const messages = [{ role: "user", content: "Hello" }];
      const { headers } = await fleet.client.post("/v1/chat/completions", { model, max_tokens: 8, messages });
      const path = `/usage/events/${headers.get("x-request-id")}`;
      type Receipt = { event: { price_version: string } } | undefined;
      const receipt = async () => (await api.call("GET", path).catch(() => undefined)) as Receipt;
      return (await waitFor(receipt, { what: "the receipt" })).event.price_version;
    };
    await waitFor(async () => (await versionOfNext()) === data[0]?.after.price_version, {
      what: "a receipt with the accepted price",
    });
  });

  test("the fleet page lists every process on the bus and shows the auditor's verdict", {
    timeout: 120_000,
  }, async () => {
    const page = await stage.visit("/fleet", "Fleet");
    const processes = page.getByRole("region", { name: "Processes" });
    for (const service of [...serviceNames, "billing", "metering", "router", "console"])
      await processes.getByText(service, { exact: true }).first().waitFor();
    await page.getByRole("region", { name: "Providers" }).getByText("anthropic").waitFor();
    await page.getByText(/Ledger verified|not been audited/).waitFor();
  });
});
