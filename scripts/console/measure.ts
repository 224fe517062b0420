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

/** The last columns of a line: the size of a page's scripts, and the violations that axe finds. */
async function judge(page: Page): Promise<string> {
  await page.waitForLoadState("networkidle");
  const bytes = bytesOf(await scriptsOf(page));
  const found = (await violationsOf(page)).map(({ id }) => id);
  const faults = found.length === 0 ? "axe finds nothing serious" : `axe: ${found.join(", ")}`;
  return `${String(bytes).padStart(8)} B of script  ${faults}`;
}

const inMs = (ms: number): string => `${String(Math.round(ms)).padStart(5)} ms`;

function print(name: string, times: string, judged: string): void {
  process.stdout.write(`${name.padEnd(44)} ${times.padEnd(31)} ${judged}\n`);
}

/** Milliseconds until the page that is loaded accepts input. */
async function load(page: Page, url: string): Promise<number> {
  const began = performance.now();
  await page.goto(url, { waitUntil: "commit" });
  await page.locator("main h1").waitFor();
  await usable(page);
  return performance.now() - began;
}

/**
 * Prints for each page the time until it accepts input (medians of several loads), of a first visit
 * with an empty browser cache and of later ones, and the size of its scripts; for the sign-in also
 * the times from there to the console, and by its first steps to the receipt of a first request.
 */
export async function measure(browser: Browser, { run, paths }: Measured): Promise<void> {
  await sleep(restMs);
  await using start = await browser.newContext({ bypassCSP: true, locale: "en-US" });
  const page = await start.newPage();
  let began = performance.now();
  await page.goto(`${run.console_url}/sign-in`, { waitUntil: "commit" });
  await usable(page);
  print("sign-in", inMs(performance.now() - began), await judge(page));
  began = performance.now();
  await signIn(page, run);
  await usable(page);
  print("from sign-in to console", inMs(performance.now() - began), await judge(page));
  await openFirstReceipt(page, run);
  print("from sign-in to first receipt", inMs(performance.now() - began), await judge(page));
  const storageState = await start.storageState();
  await start.close();
  for (const path of paths) {
    const url = `${run.console_url}/${path}`;
    const visits: { readonly first: number; readonly later: number }[] = [];
    let judged = "";
    while (visits.length < loads) {
      await using context = await browser.newContext({ bypassCSP: true, locale: "en-US", storageState });
      const fresh = await context.newPage();
      const firstMs = await load(fresh, url);
      await fresh.waitForLoadState("networkidle");
      visits.push({ first: firstMs, later: await load(fresh, url) });
      if (visits.length === loads) judged = await judge(fresh);
    }
    const firstMs = inMs(median(visits.map(({ first }) => first)));
    const laterMs = inMs(median(visits.map(({ later }) => later)));
    print(path, `${firstMs} first, ${laterMs} later`, judged);
  }
}
