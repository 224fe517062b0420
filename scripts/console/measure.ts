import { setTimeout as sleep } from "node:timers/promises";
import { bytesOf, scriptsOf, violationsOf } from "@uag/e2e/console/page-checks";
import type { Run } from "@uag/local/run-file";
import { openFirstReceipt } from "./first-receipt.ts";
import { type Browser, type Page, signIn } from "./sign-in.ts";

interface Measured {
  readonly run: Run;
  readonly paths: readonly string[];
}

/** A fleet that has just started audits, settles and compiles, which would delay the pages. */
const restMs = 20_000;

/** A browser's first paint varies by half a second on a small machine, so the median is shown. */
const loads = 5;

const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;

/** An element that accepts input: a field or button that is neither covered nor disabled. */
const usable = async (page: Page): Promise<void> =>
  await page
    .locator("input:enabled:visible, main button:enabled:visible, main a:visible")
    .first()
    .click({ trial: true });

async function judge(page: Page, name: string, readyMs: number): Promise<void> {
  await page.waitForLoadState("networkidle");
  const bytes = bytesOf(await scriptsOf(page));
  const found = (await violationsOf(page)).map(({ id }) => id);
  const faults = found.length === 0 ? "axe finds nothing serious" : `axe: ${found.join(", ")}`;
  process.stdout.write(
    `${name.padEnd(40)} ${String(Math.round(readyMs)).padStart(5)} ms ${String(bytes).padStart(8)} B of script  ${faults}\n`,
  );
}

/**
 * Prints for each page, loaded without a browser cache, the time until it accepts input (median of
 * several loads) and the size of its parts; for the sign-in also the times from there to the
 * console, and by its first steps to the receipt of a first request.
 */
export async function measure(browser: Browser, { run, paths }: Measured): Promise<void> {
  await sleep(restMs);
  await using first = await browser.newContext({ bypassCSP: true, locale: "en-US" });
  const page = await first.newPage();
  let began = performance.now();
  await page.goto(`${run.console_url}/sign-in`, { waitUntil: "commit" });
  await usable(page);
  await judge(page, "sign-in", performance.now() - began);
  began = performance.now();
  await signIn(page, run);
  await usable(page);
  await judge(page, "from sign-in to console", performance.now() - began);
  await openFirstReceipt(page, run);
  await judge(page, "from sign-in to first receipt", performance.now() - began);
  const storageState = await first.storageState();
  await first.close();
  for (const path of paths) {
    const times: number[] = [];
    while (times.length < loads) {
      await using context = await browser.newContext({ bypassCSP: true, locale: "en-US", storageState });
      const fresh = await context.newPage();
      began = performance.now();
      await fresh.goto(`${run.console_url}/${path}`, { waitUntil: "commit" });
      await fresh.locator("main h1").waitFor();
      await usable(fresh);
      times.push(performance.now() - began);
      if (times.length === loads) await judge(fresh, path, median(times));
    }
  }
}
