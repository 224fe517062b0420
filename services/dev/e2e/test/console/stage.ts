import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSharedFleet, type SharedFleet } from "@uag/harness/fleet/shared-fleet";
import { startTestFleet, type TestFleet } from "@uag/harness/fleet/with-fleet";
import { pollsWithin } from "@uag/harness/testing/wait-for";
import { buildConsole } from "@uag/local/console-web";
import type { FleetOptions } from "@uag/local/service";
import OpenAI, { APIError } from "openai";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { openBrowser } from "./browser.ts";

/** Maximum time for a page to show an element, milliseconds. */
const patienceMs = 60_000;
/** A changed key takes effect in every process within a second. */
export const maxPollsInForce = pollsWithin(1);

interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** The HTTP status of an SDK's call; 200 if it does not throw. */
export const statusOf = (pending: Promise<unknown>): Promise<number | undefined> =>
  pending.then(
    () => 200,
    (error: unknown) => (error instanceof APIError ? error.status : undefined),
  );

/** A fleet with a built console, and a real browser in front of it. */
export class Stage<F extends Pick<TestFleet, "run"> = TestFleet> implements AsyncDisposable {
  readonly fleet: F;
  readonly #browser: Browser;
  readonly #resources: AsyncDisposableStack;
  readonly #contexts: BrowserContext[] = [];

  private constructor(fleet: F, browser: Browser, resources: AsyncDisposableStack) {
    this.fleet = fleet;
    this.#browser = browser;
    this.#resources = resources;
  }

  static async open(options: Partial<FleetOptions>): Promise<Stage> {
    return await Stage.#before(async (started) => {
      const dataDir = await mkdtemp(join(tmpdir(), "console-journeys-"));
      started.defer(() => rm(dataDir, { recursive: true, force: true }));
      return started.use(await startTestFleet({ dataDir, single: true, ...options }));
    });
  }

  /** The browser in front of the fleet that files of tests share. */
  static async share(): Promise<Stage<SharedFleet>> {
    return await Stage.#before(openSharedFleet);
  }

  static async #before<F extends Pick<TestFleet, "run">>(
    start: (resources: AsyncDisposableStack) => Promise<F>,
  ): Promise<Stage<F>> {
    await using started = new AsyncDisposableStack();
    const browser = await openBrowser();
    started.defer(() => browser.close());
    await buildConsole({ report: () => undefined });
    return new Stage(await start(started), browser, started.move());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync();
  }

  /** Closes every page: an open page continues to listen, to send requests and to render. */
  async closePages(): Promise<void> {
    await Promise.all(this.#contexts.splice(0).map((context) => context.close()));
  }

  /** A page in a context of its own, without cookies, at an address of the console. */
  async newPage(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.#browser.newContext({ locale: "en-US", ...options });
    this.#contexts.push(context);
    const page = await context.newPage();
    page.setDefaultTimeout(patienceMs);
    await page.goto(`${this.fleet.run.console_url}${path}`);
    return page;
  }

  async fillIn(page: Page, { email, password }: Credentials = this.fleet.run.admin): Promise<void> {
    await page.getByLabel("Email").fill(email);
    await page.getByRole("textbox", { name: "Password" }).fill(password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
  }

  /** A page after a sign-in: the first operator's by default. */
  async visit(path: string, heading: string, who?: Credentials): Promise<Page> {
    const page = await this.newPage(path);
    await this.fillIn(page, who);
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    return page;
  }

  /** Issues a key on the keys page; returns a client that uses it. */
  async issueKey(page: Page, name: string): Promise<OpenAI> {
    await page.getByRole("button", { name: "Create key" }).first().click();
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
    return await this.takeKey(page);
  }

  /** Reads the key, which is shown once, and closes the dialog. */
  async takeKey(page: Page): Promise<OpenAI> {
    const apiKey = await page.getByLabel("Key", { exact: true }).inputValue();
    await page.getByRole("button", { name: "I've saved my key" }).click();
    return new OpenAI({ baseURL: `${this.fleet.run.base_url}/v1`, apiKey, maxRetries: 0 });
  }
}
