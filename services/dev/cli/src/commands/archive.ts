// npm run archive: manages the archived months of the running fleet, usage and ledger.
import { parseArgs } from "node:util";
import { fail, UserError } from "@uag/local/terminal/step";
import { type LedgerArchiveServiceServer, LedgerArchiveServiceService } from "@uag/proto/billing/v1/archive.ts";
import { type UsageAdminServiceServer, UsageAdminServiceService } from "@uag/proto/metering/v1/admin.ts";
import type { RpcClient } from "@uag/runtime/rpc/client";
import { table } from "./table.ts";
import { readTarget } from "./target.ts";

const help = `npm run archive -- <command> [options]

Archives closed months in files (gzip of NDJSON). Single requests (usage, one UsageEvent per line) are moved out of the
database once the files have been read back; sums by hour and day stay. The ledger (one Entry per line) is copied and stays.
Metering and billing also do this automatically.
  list              lists the months: rows and bytes in the database (usage), and files
  run               archives every month that is due
    --dry-run       only lists these months
  verify            reads the files back and compares them with the archived rows, and the ledger's files with the ledger;
                    exits with 1 if one differs
  --month <2026-01> run and verify: only this month
  --only <what>     usage or ledger
`;

const options = {
  month: { type: "string" },
  only: { type: "string" },
  "dry-run": { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;
/** Reading a month of many millions of rows takes long. */
const timeoutMs = 6 * 3_600_000;
const listTimeoutMs = 60_000;

/** A month of usage or of the ledger. */
interface Month {
  readonly month: string;
  /** Rows in the database, with their bytes; undefined: not counted. */
  readonly open?: { readonly rows: bigint; readonly bytes: bigint };
  readonly due: boolean;
  readonly parts: readonly { readonly key: string; readonly rows: bigint }[];
}

/** An archive and the service that runs it. */
interface Archive {
  readonly what: "usage" | "ledger";
  list(): Promise<Month[]>;
  run(month: string): Promise<{ rows: bigint; keys: readonly string[] }>;
  verify(month: string): Promise<{ rows: bigint; faults: readonly string[] }>;
}

const usageArchive = (client: RpcClient<UsageAdminServiceServer>): Archive => ({
  what: "usage",
  async list() {
    const { months } = await client.listMonths({}, { timeoutMs: listTimeoutMs });
    return months.map(({ rows, bytes, ...month }) => ({ ...month, open: { rows, bytes } }));
  },
  async run(month) {
    const { rows, key } = await client.archiveMonth({ month }, { timeoutMs });
    return { rows, keys: [key] };
  },
  verify: async (month) => await client.verifyMonth({ month }, { timeoutMs }),
});

const ledgerArchive = (client: RpcClient<LedgerArchiveServiceServer>): Archive => ({
  what: "ledger",
  async list() {
    const { months } = await client.listLedgerMonths({}, { timeoutMs: listTimeoutMs });
    return months.map(({ archived, ...month }) => ({ ...month, due: !archived }));
  },
  run: async (month) => await client.archiveLedgerMonth({ month }, { timeoutMs }),
  verify: async (month) => await client.verifyLedgerMonth({ month }, { timeoutMs }),
});

interface Listed {
  readonly archive: Archive;
  readonly months: readonly Month[];
}

function list(all: readonly Listed[]): void {
  const rows = all.flatMap(({ archive: { what }, months }) =>
    months.map(({ month, open, due, parts }) => [
      what,
      month || "(before)",
      open === undefined ? "" : String(open.rows),
      open === undefined ? "" : String(open.bytes),
      due ? "due" : "",
      parts.map(({ key, rows: archived }) => `${key} (${archived} rows)`).join(", "),
    ]),
  );
  process.stdout.write(`${table([["WHAT", "MONTH", "ROWS", "BYTES", "", "ARCHIVED"], ...rows])}\n`);
}

async function run(all: readonly Listed[], dryRun: boolean): Promise<void> {
  const due = all.flatMap(({ archive, months }) => months.filter((one) => one.due).map((one) => ({ archive, one })));
  if (due.length === 0) process.stdout.write("No month is due.\n");
  for (const { archive, one } of due) {
    const { month, open } = one;
    const name = `${archive.what} ${month}`;
    if (dryRun) process.stdout.write(`${name}: ${open === undefined ? "its" : open.rows} rows would be archived\n`);
    else {
      const { rows, keys } = await archive.run(month);
      const where = keys.length === 0 ? "no rows to archive" : `${rows} rows are in ${keys.join(", ")}`;
      process.stdout.write(`${name}: ${where}\n`);
    }
  }
}

async function verify(all: readonly Listed[]): Promise<number> {
  let faulty = 0;
  for (const { archive, months } of all) {
    for (const { month } of months.filter(({ parts }) => parts.length > 0)) {
      const name = `${archive.what} ${month}`;
      const { rows, faults } = await archive.verify(month);
      for (const fault of faults) process.stdout.write(`${name}: ${fault}\n`);
      faulty += faults.length;
      if (faults.length === 0) process.stdout.write(`${name}: ${rows} rows, unchanged since they were archived\n`);
    }
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
  const target = await readTarget();
  using usage = target.client<UsageAdminServiceServer>("metering", UsageAdminServiceService);
  using ledger = target.client<LedgerArchiveServiceServer>("billing", LedgerArchiveServiceService);
  const archives = [usageArchive(usage), ledgerArchive(ledger)];
  const wanted = archives.filter(({ what }) => values.only === undefined || what === values.only);
  if (wanted.length === 0) throw new UserError(`--only must be ${archives.map(({ what }) => what).join(" or ")}.`);
  const all = await Promise.all(wanted.map(async (archive) => ({ archive, months: await archive.list() })));
  const chosen = all.map(({ archive, months }) => ({
    archive,
    months: months.filter(({ month }) => values.month === undefined || month === values.month),
  }));
  if (values.month !== undefined && chosen.every(({ months }) => months.length === 0))
    throw new UserError(`Nothing is archived for ${values.month}.`);
  if (command === "verify") return await verify(chosen);
  if (command === "list") list(chosen);
  else if (command === "run") await run(chosen, values["dry-run"] ?? false);
  else throw new UserError(`Unknown command "${command}".\n\n${help}`);
  return 0;
}

await main().then((code) => process.exit(code), fail);
