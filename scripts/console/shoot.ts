import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Run } from "@uag/local/run-file";
import { checkChineseFont } from "./fonts.ts";
import { pages, within } from "./pages.ts";
import { type Browser, type Page, signIn } from "./sign-in.ts";
import { type State, states, type Texts } from "./states.ts";

interface Shoot {
  readonly run: Run;
  readonly out: string;
  readonly account: string;
  readonly locale: string;
  readonly texts: Texts;
  /** The parts of each screenshot's name. */
  readonly only: string;
  /** The fleet exists for the screenshots and may be changed. */
  readonly isOurs: boolean;
  report(line: string): void;
}

const sizes = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];
const colorSchemes = ["light", "dark"] as const;
/** Time for animations to end, milliseconds. */
const settledMs = 700;
/** Maximum load time of a page on a busy machine, milliseconds. */
const patienceMs = 120_000;
const openRow = "tbody tr[tabindex]";

/** Takes the current page in every size and colour scheme. */
async function take(page: Page, name: string, { out, report }: Shoot): Promise<void> {
  for (const size of sizes) {
    await page.setViewportSize(size);
    for (const colorScheme of colorSchemes) {
      await page.emulateMedia({ colorScheme });
      await page.waitForTimeout(settledMs);
      const path = join(out, `${name}-${size.width}-${colorScheme}.png`);
      // A dialog is as large as the viewport; a page is taken in its full length.
      const fullPage = (await page.getByRole("dialog").count()) === 0;
      await page.screenshot({ path, fullPage, timeout: patienceMs });
      report(path);
    }
  }
  await page.setViewportSize(sizes[0] ?? { width: 1440, height: 900 });
}

/** Takes the pages before the sign-in, and the page for an unknown address. */
const isOutside = ["sign-in", "sign-in?error=permission_denied", "invitations/unknown"];

const nameOf = (path: string): string => path.replaceAll(/\W+/g, "-") || "overview";

async function takeState(page: Page, state: State, shoot: Shoot): Promise<void> {
  await page.goto(`${shoot.run.console_url}/${within(state.path, shoot.account)}`);
  await page.locator("main h1:visible").first().waitFor();
  await state.reach(page, shoot.texts).catch((cause: unknown) => {
    throw new Error(`${state.name} could not be reached.`, { cause });
  });
  await take(page, state.name, shoot);
}

/** Takes every page, and its states after an action. */
export async function shoot(browser: Browser, options: Shoot): Promise<void> {
  const { run, out, account, only, isOurs, locale } = options;
  const isWanted = (name: string): boolean => name.includes(only);
  await mkdir(out, { recursive: true });
  await using context = await browser.newContext({ locale });
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  if (locale === "zh-CN") await checkChineseFont(page);
  for (const path of isOutside.filter((one) => isWanted(nameOf(one)))) {
    await page.goto(`${run.console_url}/${path}`);
    await page.locator("main h1").waitFor();
    await take(page, nameOf(path), options);
  }
  await page.goto(`${run.console_url}/sign-in`);
  await signIn(page, run);
  const storageState = await context.storageState();
  for (const { path, hasDetails } of [...pages, { path: "nowhere", hasDetails: false }]) {
    if (!isWanted(nameOf(path)) && !(hasDetails && isWanted(`${path}-detail`))) continue;
    await page.goto(`${run.console_url}/${within(path, account)}`);
    await page.getByRole("heading").first().waitFor();
    await take(page, nameOf(path), options);
    const row = page.locator(openRow).first();
    if (!hasDetails || (await row.count()) === 0) continue;
    await row.click({ position: { x: 4, y: 4 } });
    await take(page, `${path}-detail`, options);
  }
  for (const state of states) {
    if (!isWanted(state.name) || (state.isLasting && !isOurs)) continue;
    await using another = await browser.newContext({ locale, storageState });
    another.setDefaultTimeout(patienceMs);
    await takeState(await another.newPage(), state, options);
  }
}
