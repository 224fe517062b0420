import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { pagePaths } from "@uag/console-web/pages";
import { setFault } from "@uag/harness/fleet/faults";
import { waitFor } from "@uag/harness/testing/wait-for";
import type { Page } from "playwright-core";
import { violationsOf } from "./console/page-checks.ts";
import { enrol, firstOperator, password } from "./console/people.ts";
import { Stage } from "./console/stage.ts";

const month = new Date().toISOString().slice(0, 7);
/** The pages behind the sign-in; a statement needs its account. */
const shownPages = (account: string): string[] =>
  pagePaths.map((path) => (path === "/billing/$month" ? `/billing/${month}?account=${account}` : path));

/** The dark scheme changes only colours. */
const schemes = [
  { colorScheme: "light", rules: [] },
  { colorScheme: "dark", rules: ["color-contrast"] },
] as const;

const own = ["API keys", "Usage", "Playground", "Models"];
const use = ["Overview", ...own];
const manage = ["Billing", "Webhooks", "Members", "Audit log"];
const read = ["Overview", "API keys", "Usage", "Models", "Billing", "Webhooks", "Audit log"];

describe("the console's pages in a browser", () => {
  let stage: Stage;
  const resources = new AsyncDisposableStack();

  before(async () => {
    stage = resources.use(await Stage.open({}));
  });
  after(() => resources.disposeAsync());
  afterEach(() => stage.closePages());

  /** Makes a request that the provider fails. @returns its id */
  async function failRequest(): Promise<string> {
    const { client, run } = stage.fleet;
    await using _ = { [Symbol.asyncDispose]: await setFault(run.simulator_url, { status: 401 }) };
    const body = { model: "gpt-4o-mini", messages: [{ role: "user", content: "Hello!" }] };
    const { status, headers } = await client.post("/v1/chat/completions", body);
    assert.ok(status >= 400, String(status));
    return headers.get("x-request-id") ?? "";
  }

  /** Opens every page of the user's menu; returns the failed calls. */
  async function walkMenu(page: Page): Promise<{ pages: string[]; failed: string[] }> {
    const failed: string[] = [];
    page.on("response", (response) => {
      if (response.status() >= 400) failed.push(`${response.status()} ${response.url()}`);
    });
    const links = page.getByRole("navigation", { name: "Main navigation" }).getByRole("link");
    const pages = await links.allInnerTexts();
    for (const name of pages) {
      await links.filter({ hasText: name }).click();
      await page.getByRole("heading", { level: 1, name }).waitFor();
      await waitFor(async () => (await page.locator(".mantine-Skeleton-root").count()) === 0, { what: name });
      assert.equal(await page.getByRole("alert").filter({ hasText: "Something went wrong" }).count(), 0, name);
    }
    return { pages, failed };
  }

  test("every page in each role's menu loads, and pages of other roles say that access is denied", async () => {
    const { run } = stage.fleet;
    const account = run.account_id;
    const global = [...read, "Accounts", "Fleet", "Provider bills"];
    const kinds = [
      { role: "owner", account_id: account, has: [...use, ...manage], lacks: "/fleet" },
      { role: "member", account_id: account, has: own, lacks: "/billing" },
      { role: "auditor", account_id: account, has: read, lacks: "/accounts" },
      { role: "auditor", account_id: null, has: global, lacks: "/playground" },
    ];
    const operator = await firstOperator(stage.fleet);
    for (const [nth, { role, account_id, has, lacks }] of kinds.entries()) {
      const email = `kind-${nth}@example.com`;
      await enrol(stage.fleet, operator, { email, role, account_id });
      const page = await stage.visit("/profile", "Profile", { email, password });
      const { pages, failed } = await walkMenu(page);
      assert.deepEqual(pages, has, role);
      assert.deepEqual(failed, [], `${role} of ${account_id}`);
      await page.goto(`${run.console_url}${lacks}`);
      await page.getByText("You don't have access to this page").waitFor();
    }
    const { pages, failed } = await walkMenu(await stage.visit("/profile", "Profile"));
    const operators = ["Accounts", "Unpriced requests", "Providers", "Fleet", "Provider bills", "Prices"];
    assert.deepEqual(pages, [...use, ...manage, ...operators]);
    assert.deepEqual(failed, []);
  });

  test("axe finds nothing serious on any page or on a failed request's receipt, light or dark", async () => {
    const { run } = stage.fleet;
    const page = await stage.visit("/keys", "API keys");
    // axe is injected by hand, which the page's security policy forbids.
    const storageState = await page.context().storageState();
    await stage.closePages();
    const judged = await stage.newPage("/keys", { bypassCSP: true, storageState });
    const problems: string[] = [];
    const details = ["/playground?mode=edit", `/usage?request=${await failRequest()}`];
    for (const name of [...shownPages(run.account_id), ...details]) {
      await judged.goto(`${run.console_url}${name}`);
      await judged.getByRole("heading", { level: 1 }).waitFor();
      await judged.waitForLoadState("networkidle");
      for (const { colorScheme, rules } of schemes) {
        await judged.emulateMedia({ colorScheme });
        await judged.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
        for (const { id, nodes } of await violationsOf(judged, rules))
          problems.push(`${name}, ${colorScheme}: ${id}: ${nodes[0]?.html}`);
      }
    }
    assert.deepEqual(problems, []);
  });

  test("pages run no inline scripts and do not violate their content security policy", async () => {
    const page = await stage.newPage("/sign-in");
    const broken: string[] = [];
    page.on("console", (message) => {
      if (/content security policy/i.test(message.text())) broken.push(`${page.url()}: ${message.text()}`);
    });
    const loaded = await page.goto(`${stage.fleet.run.console_url}/sign-in`);
    const policy = loaded?.headers()["content-security-policy"] ?? "";
    assert.match(policy, /(^|;)script-src 'self'(;|$)/);
    for (const [script] of (await loaded?.text())?.matchAll(/<script[^>]*>/g) ?? []) assert.match(script, /\ssrc="/);
    await stage.fillIn(page);
    await page.getByRole("heading", { level: 1 }).waitFor();
    const { run } = stage.fleet;
    for (const name of shownPages(run.account_id)) {
      await page.goto(`${run.console_url}${name}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.waitForLoadState("networkidle");
    }
    assert.deepEqual(broken, []);
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement("script"), { text: "globalThis.ran = true" }))`,
    );
    assert.equal(await page.evaluate("globalThis.ran"), undefined);
    await waitFor(() => broken.length > 0, { what: "the browser to report the inline script" });
  });
});
