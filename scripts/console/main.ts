// npm run screenshots: every page of a running console as people see it, to be looked at.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { fail, UserError } from "../../services/command/src/step.mjs";
import { type Run, readRun } from "../../services/fleet/src/run-file.ts";
import { openBrowser } from "../../services/fleet/test/console/browser.ts";
import { measure } from "./measure.ts";
import { type Browser, signIn } from "./sign-in.ts";

const help = `npm run screenshots -- [--data .data] [--out .data/screenshots] [--account acct_default] [--lang en|zh]
npm run screenshots -- --measure [--data .data] [--account acct_default]

Signs in to the console of the fleet whose folder is --data, and writes a picture of every page to --out: light and dark,
1440 and 390 pixels wide. Make some traffic first.
With --measure it prints, page by page and without a picture, after how long it took input, how much script it loaded,
compressed, and how many serious faults axe finds.
`;

const modes = ["images", "edit", "speech", "video", "embeddings"].map((mode) => `playground?mode=${mode}`);
const plain = ["keys", "usage", "billing", "models", "playground", "webhooks", "members", "audit-log", "accounts"];
const month = `billing/${new Date().toISOString().slice(0, 7)}`;
const pages = plain.concat(modes, month, "unpriced", "fleet", "profile", "nowhere");
const known = pages.filter((path) => path !== "nowhere");
/** Pages whose first row opens something. */
const details = new Set(["keys", "usage", "models"]);
const looks = (["light", "dark"] as const).flatMap((colorScheme) =>
  [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ].map((viewport) => ({ colorScheme, viewport })),
);
const locales = new Map([
  ["en", "en-US"],
  ["zh", "zh-CN"],
]);
const settledMs = 1_000;

const within = (path: string, account: string): string => `${path}${path.includes("?") ? "&" : "?"}account=${account}`;

interface Shoot {
  readonly run: Run;
  readonly out: string;
  readonly account: string;
  readonly locale: string;
}

async function shoot(
  browser: Browser,
  look: (typeof looks)[number],
  { run, out, account, locale }: Shoot,
): Promise<void> {
  await using context = await browser.newContext({ ...look, locale });
  const page = await context.newPage();
  const name = (path: string): string =>
    join(out, `${path.replaceAll(/\W+/g, "-")}-${look.viewport.width}-${look.colorScheme}.png`);
  const take = async (of: string): Promise<void> => {
    await page.waitForTimeout(settledMs);
    await page.screenshot({ path: name(of) });
    process.stdout.write(`${name(of)}\n`);
  };
  await page.goto(`${run.console_url}/sign-in`);
  await page.getByRole("textbox").first().waitFor();
  await take("sign-in");
  await signIn(page, run);
  for (const path of pages) {
    await page.goto(`${run.console_url}/${within(path, account)}`);
    await page.getByRole("heading").first().waitFor();
    await take(path);
    const row = page.locator("tbody tr[tabindex]").first();
    if (!details.has(path) || (await row.count()) === 0) continue;
    await row.click({ position: { x: 4, y: 4 } });
    await take(`${path}-detail`);
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      data: { type: "string", default: ".data" },
      out: { type: "string", default: ".data/screenshots" },
      account: { type: "string", default: "acct_default" },
      lang: { type: "string", default: "en" },
      measure: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return void process.stdout.write(help);
  const { data, out, account, lang } = values;
  const locale = locales.get(lang);
  if (locale === undefined) throw new UserError(`There is no language "${lang}".\n\n${help}`);
  const run = await readRun(data);
  const browser = await openBrowser();
  try {
    if (values.measure) return await measure(browser, { run, paths: known.map((path) => within(path, account)) });
    await mkdir(out, { recursive: true });
    for (const look of looks) await shoot(browser, look, { run, out, account, locale });
  } finally {
    await browser.close();
  }
}

await main().catch(fail);
