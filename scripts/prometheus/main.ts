// npm run metrics: checks the alert rules and the dashboards.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runTool } from "@uag/local/engines/run-tool";
import { fail } from "@uag/local/terminal/step";
import { runAllQueries } from "./live.ts";
import { prometheusDir, rulesFile } from "./sources.ts";
import { findProgram } from "./tools.ts";

const help = `npm run metrics [-- --live]

Checks infra/prometheus/rules.yaml with promtool and runs its tests. --live also starts a fleet, sends it a few
requests, scrapes it with a real Prometheus, and runs every query of the dashboards and the rules. Uses prometheus and
promtool from PATH, or from Debian's package.
`;

async function promtool(...args: readonly string[]): Promise<boolean> {
  const { code, output } = await runTool(await findProgram("promtool"), args);
  process.stdout.write(output);
  return code === 0;
}

async function main(): Promise<number> {
  const flag = { type: "boolean", default: false } as const;
  const { values } = parseArgs({ options: { live: flag, help: { ...flag, short: "h" } } });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const holds = await promtool("check", "rules", rulesFile);
  const tested = await promtool("test", "rules", join(prometheusDir, "rules.test.yaml"));
  const answered = values.live ? await runAllQueries((line) => process.stdout.write(`${line}\n`)) : true;
  return holds && tested && answered ? 0 : 1;
}

process.exit(await main().catch(fail));
