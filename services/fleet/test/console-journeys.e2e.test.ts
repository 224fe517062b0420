import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import OpenAI, { APIError } from "openai";
import type { Browser, Page } from "playwright-core";
import { buildConsole } from "../src/console-web.ts";
import { startTestFleet, type TestFleet } from "../src/testing/with-fleet.ts";
import { openBrowser } from "./console/browser.ts";

const model = "gpt-4o-mini";
const hello = { model, messages: [{ role: "user" as const, content: "Hello!" }] };
const patienceMs = 30_000;
const inForceMs = 1_000;

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

describe("the console in a browser", () => {
  let fleet: TestFleet;
  let browser: Browser;
  let axe: string;
  const resources = new AsyncDisposableStack();

  before(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "console-journeys-"));
    resources.defer(() => rm(dataDir, { recursive: true, force: true }));
    browser = await openBrowser();
    resources.defer(() => browser.close());
    await buildConsole({ report: () => undefined });
    fleet = resources.use(await startTestFleet({ dataDir }));
    axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  });
  after(() => resources.disposeAsync());

  async function fillIn(page: Page): Promise<void> {
    const { email, password } = fleet.run.admin;
    await page.getByLabel("E-mail").fill(email);
    await page.getByRole("textbox", { name: "Password" }).fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
  }

  /** A page of somebody who has just signed in. */
  async function visit(path: string, heading: string): Promise<Page> {
    const context = await browser.newContext({ locale: "en-US", bypassCSP: false });
    resources.defer(() => context.close());
    const page = await context.newPage();
    page.setDefaultTimeout(patienceMs);
    await page.goto(`${fleet.run.console_url}${path}`);
    await fillIn(page);
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    return page;
  }

  async function issueKey(page: Page, name: string): Promise<OpenAI> {
    await page.getByRole("button", { name: "Create key" }).first().click();
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
    const apiKey = await page.getByLabel("Key", { exact: true }).inputValue();
    await page.getByRole("button", { name: "I have stored it" }).click();
    return new OpenAI({ baseURL: `${fleet.run.base_url}/v1`, apiKey, maxRetries: 0 });
  }

  const statusOf = (asked: Promise<unknown>): Promise<number | undefined> =>
    asked.then(
      () => 200,
      (error: unknown) => (error instanceof APIError ? error.status : undefined),
    );

  test("a key that is issued works in the OpenAI SDK, and its request is shown with a receipt", async () => {
    const page = await visit("/keys", "API keys");
    const client = await issueKey(page, "journey");
    const completion = await client.chat.completions.create(hello);
    assert.ok(completion.choices[0]?.message.content);
    await page.getByRole("link", { name: "Usage" }).click();
    const row = page.getByRole("region", { name: "Requests" }).getByRole("row").filter({ hasText: model });
    const deadline = Date.now() + patienceMs;
    while ((await row.count()) === 0 && Date.now() < deadline) {
      await page.reload();
      await page.getByRole("heading", { name: "Requests" }).or(page.getByText("No requests")).first().waitFor();
      await page.waitForTimeout(500);
    }
    await row.first().click();
    const receipt = page.getByRole("dialog");
    await receipt.getByText("input tokens").first().waitFor();
    await receipt.getByText("Billed what the provider reported").waitFor();
  });

  test("a limit of requests a minute is in force within a second of being saved", async () => {
    const page = await visit("/keys", "API keys");
    const client = await issueKey(page, "throttled");
    assert.equal(await statusOf(client.chat.completions.create(hello)), 200);
    await page.getByRole("row").filter({ hasText: "throttled" }).click();
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Requests a minute").fill("1");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("In force on every replica").first().waitFor();
    await page.waitForTimeout(inForceMs);
    const statuses = [
      await statusOf(client.chat.completions.create(hello)),
      await statusOf(client.chat.completions.create(hello)),
    ];
    assert.equal(statuses.at(-1), 429, String(statuses));
  });

  test("before a key is revoked its use is told, and after it requests get 401", async () => {
    const page = await visit("/keys", "API keys");
    const client = await issueKey(page, "to be revoked");
    assert.equal(await statusOf(client.chat.completions.create(hello)), 200);
    await page.getByRole("row").filter({ hasText: "to be revoked" }).click();
    await page.getByRole("button", { name: "Revoke", exact: true }).click();
    await page.getByRole("button", { name: "Revoke key" }).click();
    await page.getByText("The key is revoked.").waitFor();
    await page.waitForTimeout(inForceMs);
    assert.equal(await statusOf(client.chat.completions.create(hello)), 401);
  });

  test("the playground streams an answer of each chosen model", async () => {
    const page = await visit(`/playground?models=${model},claude-sonnet-4-6`, "Playground");
    await page.getByLabel("Your message").fill("Say hello");
    await page.getByRole("button", { name: "Send" }).click();
    for (const name of [model, "claude-sonnet-4-6"])
      await page.getByText(new RegExp(`built-in simulator.*${name}`)).waitFor();
  });

  test("a session that has ended leads to the sign-in, and from there back to the page", async () => {
    const page = await visit("/models?q=gpt", "Models");
    await page.getByText("GPT-4o mini", { exact: true }).waitFor();
    await page.context().clearCookies();
    await page.getByRole("link", { name: "Audit log" }).click();
    await page.getByText("Your session has ended").waitFor();
    await fillIn(page);
    await page.getByRole("heading", { level: 1, name: "Audit log" }).waitFor();
  });

  test("axe finds nothing serious on any page, light or dark", { timeout: 300_000 }, async () => {
    const page = await visit("/keys", "API keys");
    // axe is put into the page by hand, which its security policy would not let a script do.
    const context = await browser.newContext({ bypassCSP: true, storageState: await page.context().storageState() });
    resources.defer(() => context.close());
    const judged = await context.newPage();
    const names = ["keys", "usage", "billing", "models", "playground", "webhooks", "members", "audit-log", "accounts"];
    const problems: string[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      await judged.emulateMedia({ colorScheme });
      for (const name of [...names, "unpriced", "profile"]) {
        await judged.goto(`${fleet.run.console_url}/${name}`);
        await judged.getByRole("heading", { level: 1 }).waitFor();
        await judged.waitForLoadState("networkidle");
        await judged.evaluate(axe);
        const found = (await judged.evaluate("axe.run(document).then((all) => all.violations)")) as Violation[];
        for (const { id, impact, nodes } of found)
          if (impact === "serious" || impact === "critical")
            problems.push(`${name}, ${colorScheme}: ${id}: ${nodes[0]?.html}`);
      }
    }
    assert.deepEqual(problems, []);
  });
});
