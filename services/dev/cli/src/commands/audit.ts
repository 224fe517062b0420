// npm run audit: checks that the books of the running fleet are exact.
import { parseArgs } from "node:util";
import { type AuditReport, audit } from "@uag/harness/audit/audit";
import { schema } from "@uag/local/config";
import { resolveDataDir } from "@uag/local/data-dir";
import { fail, print, UserError } from "@uag/local/terminal/step";
import { readConfig } from "@uag/runtime/config";
import { auditElsewhere } from "./audit-elsewhere.ts";
import { totalsText } from "./audit-totals.ts";
import { parseCount } from "./options.ts";
import { readTarget } from "./target.ts";

const help = `npm run audit [-- --wait <seconds>]

Re-adds the whole ledger from its first row, and compares it with the balances and, of a fleet on this machine, with the
requests that the simulator served. The auditor compares ledger and balances every week, and the rows since its checkpoints every hour.
Prints the sums, and "exact" or every difference; exits with 1 if there is a difference.
  --wait <seconds>   maximum wait for bills in flight; default 30
  --full             has no effect: this audit is always full
`;

function simulatorText({ comparison: { byCount, byEstimate, lostToCrash } }: AuditReport): string {
  return `Simulator   ${byCount} requests billed by its usage, ${byEstimate} by estimate, ${lostToCrash} lost to a crash before a byte was sent to the client\n`;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      wait: { type: "string", default: "30" },
      full: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const target = await readTarget();
  const { run } = target;
  if (run === undefined) return (await auditElsewhere(target)) ? 0 : 1;
  const dataDir = resolveDataDir(readConfig(schema).DATA_DIR);
  const waitMs = Number(parseCount("wait", values.wait)) * 1000;
  const report = await audit({ run, dataDir, waitMs }).catch((error: unknown) => {
    throw new UserError(`Querying the running fleet failed: ${error instanceof Error ? error.message : error}`);
  });
  process.stdout.write(totalsText(report.books.accounts, report.books) + simulatorText(report));
  for (const violation of report.violations) print(`- ${violation}`);
  process.stdout.write(report.exact ? "exact\n" : `${report.violations.length} differences\n`);
  return report.exact ? 0 : 1;
}

process.exit((await main().catch(fail)) ?? 1);
