import type { Run } from "../../services/fleet/src/run-file.ts";
import { bytesOf, scriptsOf, violationsOf } from "../../services/fleet/test/console/page-checks.ts";
import { type Browser, type Page, signIn } from "./sign-in.ts";

interface Measured {
  readonly run: Run;
  readonly paths: readonly string[];
}

const ms = (since: number): string => `${Math.round(performance.now() - since)} ms`;

/** What takes input there: a field or a button that is neither covered nor disabled. */
const usable = async (page: Page): Promise<void> =>
  await page
    .locator("input:enabled:visible, main button:enabled:visible, main a:visible")
    .first()
    .click({ trial: true });

async function judge(page: Page, name: string, ready: string): Promise<void> {
  await page.waitForLoadState("networkidle");
  const bytes = bytesOf(await scriptsOf(page));
  const found = (await violationsOf(page)).map(({ id }) => id);
  const faults = found.length === 0 ? "axe finds nothing serious" : `axe: ${found.join(", ")}`;
  process.stdout.write(`${name.padEnd(40)} ${ready.padStart(8)} ${String(bytes).padStart(8)} B of script  ${faults}\n`);
}

/**
 * Prints of each page, as a browser without anything in its cache sees it, after how long it takes
 * input, and what it is made of; of the sign-in also how long it takes from there into the console.
 */
export async function measure(browser: Browser, { run, paths }: Measured): Promise<void> {
  await using first = await browser.newContext({ bypassCSP: true, locale: "en-US" });
  const page = await first.newPage();
  let began = performance.now();
  await page.goto(`${run.console_url}/sign-in`, { waitUntil: "commit" });
  await usable(page);
  await judge(page, "sign-in", ms(began));
  began = performance.now();
  await signIn(page, run);
  await usable(page);
  await judge(page, "from sign-in to console", ms(began));
  const storageState = await first.storageState();
  for (const path of paths) {
    await using context = await browser.newContext({ bypassCSP: true, locale: "en-US", storageState });
    const fresh = await context.newPage();
    began = performance.now();
    await fresh.goto(`${run.console_url}/${path}`, { waitUntil: "commit" });
    await fresh.locator("main h1").waitFor();
    await usable(fresh);
    await judge(fresh, path, ms(began));
  }
}
