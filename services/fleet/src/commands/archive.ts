// npm run archive: manages months of single usage events of the running fleet.
import { parseArgs } from "node:util";
import { fail, UserError } from "@uag/command/step.mjs";
import type { RpcClient } from "@uag/kit/rpc/client.ts";
import { type Month, type UsageAdminServiceServer, UsageAdminServiceService } from "@uag/proto/metering/v1/admin.ts";
import { operatorClient } from "../operator.ts";
import { readRunningFleet } from "./options.ts";
import { table } from "./table.ts";

const help = `npm run archive -- <command> [options]

Single requests of closed months go from the database into files (gzip of NDJSON, a UsageEvent a line), each read back
before its rows are dropped. Metering does so by itself; sums by hour and day stay where they are.
  list              the months: rows and bytes in the database, and files
  run               archives every month that is due
    --dry-run       only says which
  verify            reads the files back, and compares them with what was archived; ends with 1 when one differs
  --month <2026-01> run and verify: only this one
`;

const options = {
  month: { type: "string" },
  "dry-run": { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;
/** Reading a month of many millions of rows takes long. */
const timeoutMs = 6 * 3_600_000;

type Client = RpcClient<UsageAdminServiceServer>;

function list(months: readonly Month[]): void {
  const rows = months.map(({ month, rows: open, bytes, due, parts }) => [
    month || "(before)",
    String(open),
    String(bytes),
    due ? "due" : "",
    parts.map(({ key, rows: archived }) => `${key} (${archived} rows)`).join(", "),
  ]);
  process.stdout.write(`${table([["MONTH", "ROWS", "BYTES", "", "ARCHIVED"], ...rows])}\n`);
}

async function run(client: Client, months: readonly Month[], dryRun: boolean): Promise<void> {
  const due = months.filter((one) => one.due);
  if (due.length === 0) process.stdout.write("No month is due.\n");
  for (const { month, rows } of due) {
    if (dryRun) process.stdout.write(`${month}: ${rows} rows would be archived\n`);
    else {
      const done = await client.archiveMonth({ month }, { timeoutMs });
      process.stdout.write(`${month}: ${done.rows} rows are in ${done.key}\n`);
    }
  }
}

async function verify(client: Client, months: readonly Month[]): Promise<number> {
  let faulty = 0;
  for (const { month } of months.filter(({ parts }) => parts.length > 0)) {
    const { rows, faults } = await client.verifyMonth({ month }, { timeoutMs });
    for (const fault of faults) process.stdout.write(`${month}: ${fault}\n`);
    faulty += faults.length;
    if (faults.length === 0) process.stdout.write(`${month}: ${rows} rows, as they were archived\n`);
  }
  return faulty === 0 ? 0 : 1;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const [command] = positionals;
  if (values.help || command === undefined) {
    process.stdout.write(help);
    return 0;
  }
  using client = operatorClient<UsageAdminServiceServer>(
    await readRunningFleet(),
    "metering",
    UsageAdminServiceService,
  );
  const all = (await client.listMonths({}, { timeoutMs: 60_000 })).months;
  const months = values.month === undefined ? all : all.filter(({ month }) => month === values.month);
  if (months.length === 0 && values.month !== undefined) throw new UserError(`There is nothing of ${values.month}.`);
  if (command === "verify") return await verify(client, months);
  if (command === "list") list(months);
  else if (command === "run") await run(client, months, values["dry-run"] ?? false);
  else throw new UserError(`There is no command "${command}".\n\n${help}`);
  return 0;
}

await main().then((code) => process.exit(code), fail);
