// npm run logs: shows the logs of the running fleet's services in readable form.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { resolveDataDir } from "@uag/local/data-dir";
import { followLines } from "@uag/local/logs/follow";
import { readable } from "@uag/local/logs/line";
import { tailOf } from "@uag/local/supervisor/log-file";
import { fail, UserError } from "@uag/local/terminal/step";
import { parseCount } from "./options.ts";

const help = `npm run logs -- [options]

Prints the end of the services' logs and follows them until Ctrl-C. The files are JSON lines in .data/log.

  --service <names>   comma-separated, such as chat or router,chat-2; default: all of them
  --lines <n>         number of existing lines to print first; default: 20
  --no-follow         prints only the existing lines
`;

const options = {
  service: { type: "string" },
  lines: { type: "string" },
  follow: { type: "boolean", default: true },
  help: { type: "boolean", short: "h" },
} as const;

async function namesIn(dir: string, requested: string | undefined): Promise<string[]> {
  const files = await readdir(dir).catch(() => []);
  const names = files.filter((file) => file.endsWith(".log")).map((file) => file.slice(0, -".log".length));
  if (names.length === 0) throw new UserError(`No logs in ${dir}. Start the fleet first: npm start`);
  if (requested === undefined) return names.sort();
  const wanted = requested.split(",").map((name) => name.trim());
  const unknown = wanted.find((name) => !names.includes(name));
  if (unknown === undefined) return wanted;
  throw new UserError(`No log of "${unknown}". Available logs: ${names.sort().join(", ")}`);
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options, allowNegative: true });
  if (values.help) return void process.stdout.write(help);
  const dir = join(resolveDataDir(process.env["DATA_DIR"] || ".data"), "log");
  const names = await namesIn(dir, values.service);
  const widest = Math.max(...names.map((name) => name.length));
  const report = (name: string, text: string): void =>
    void process.stdout.write(`${names.length > 1 ? `${name.padEnd(widest)} ` : ""}${readable(text)}\n`);
  const lines = Number(parseCount("lines", values.lines ?? "20"));
  const stop = new AbortController();
  process.on("SIGINT", () => stop.abort());
  const show = async (name: string): Promise<void> => {
    const path = join(dir, `${name}.log`);
    for (const text of (await tailOf(path, lines)).split("\n")) if (text !== "") report(name, text);
    if (!values.follow) return;
    for await (const text of await followLines(path, stop.signal)) report(name, text);
  };
  await Promise.all(names.map(show));
}

await main().catch(fail);
