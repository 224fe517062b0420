// npm run screenshots: takes screenshots of every page of the console.
import { parseArgs } from "node:util";
import { openBrowser } from "@uag/e2e/console/browser";
import { readRun } from "@uag/local/run-file";
import { fail, UserError } from "@uag/local/terminal/step";
import { startDemo } from "./demo.ts";
import { measure } from "./measure.ts";
import { pages, within } from "./pages.ts";
import { makeRows } from "./rows.ts";
import { shoot } from "./shoot.ts";
import { languages } from "./states.ts";

const help = `npm run screenshots -- [--data <folder>] [--out .data/screenshots] [--account acct_default] [--lang en|zh] [--only <text>]
npm run screenshots -- --measure [--rows <count>] [--data <folder>] [--account acct_default]

Writes screenshots of every page of the console, and of its states after an action, to --out: light and dark, 1440 and 390
pixels wide. --only selects those whose name contains a text.
Starts its own fleet and sends some traffic; with --data it uses the fleet that runs on that folder, and omits actions that
change it.
With --measure it prints for each page, without screenshots, the time until it accepts input on a first visit (with an empty
browser cache) and on later ones, the compressed size of its scripts, and the serious violations that axe finds; for the
sign-in also the time to a first receipt. With --rows, such as 20000, it then creates 1,000 keys, makes that many requests
with them, and prints the table again.
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      data: { type: "string" },
      out: { type: "string", default: ".data/screenshots" },
      account: { type: "string", default: "acct_default" },
      lang: { type: "string", default: "en" },
      only: { type: "string", default: "" },
      measure: { type: "boolean" },
      rows: { type: "string", default: "0" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return void process.stdout.write(help);
  const { data, out, account, lang, only } = values;
  if (lang !== "en" && lang !== "zh") throw new UserError(`Unknown language "${lang}".\n\n${help}`);
  const rows = Number(values.rows);
  if (!Number.isSafeInteger(rows) || rows < 0) throw new UserError(`--rows is not a number of requests.\n\n${help}`);
  await using resources = new AsyncDisposableStack();
  const report = (line: string): void => void process.stdout.write(`${line}\n`);
  const run = data === undefined ? resources.use(await startDemo(report)).run : await readRun(data);
  const browser = await openBrowser();
  resources.defer(() => browser.close());
  if (values.measure) {
    const paths = pages.map(({ path }) => within(path, account));
    await measure(browser, { run, paths });
    if (rows === 0) return;
    await makeRows(run, rows);
    report(`With ${rows} requests:`);
    return await measure(browser, { run, paths });
  }
  const isOurs = data === undefined;
  await shoot(browser, { run, out, account, only, isOurs, report, ...languages[lang] });
}

await main().catch(fail);
