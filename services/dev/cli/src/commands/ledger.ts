// npm run ledger: reads and repairs the ledger of the running fleet.
import { parseArgs } from "node:util";
import { fail, print, UserError } from "@uag/local/terminal/step";
import { z } from "zod";
import { type AdminApi, adminApi, type Query } from "./admin-api.ts";
import { table } from "./table.ts";
import { accountIn, readTarget } from "./target.ts";

const help = `npm run ledger -- <command> [options]

  list              lists an account's rows, newest first
    --account <id>      default: the account created by npm start
    --request <id>      the rows of one request instead
  repair            corrects the provisional charges of requests that had no price when they were settled, up or down,
                    by the current catalogue; adds a row for each and keeps the first
    --request <id>      only this request
    --cost <usd>        its cost, if neither usage nor catalogue determine it; requires --request
    --dry-run           only prints the corrections
`;

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
const options = { account: text, request: text, cost: text, "dry-run": flag, help: { ...flag, short: "h" } } as const;

const entrySchema = z.object({
  seq: z.number(),
  at: z.string(),
  kind: z.string(),
  available_usd: z.string(),
  held_usd: z.string(),
  charged_usd: z.string(),
  request_id: z.string().nullable(),
  note: z.string(),
});
const repairSchema = z.object({
  request_id: z.string(),
  account_id: z.string(),
  model: z.string(),
  status: z.string(),
  charged_usd: z.string(),
});
const pageSchema = z.object({ data: z.array(repairSchema), next_cursor: z.string().nullable() });

async function list(api: AdminApi, query: Query): Promise<void> {
  const rows = [["SEQ", "AT", "KIND", "AVAILABLE", "HELD", "CHARGED", "REQUEST", "NOTE"]];
  for await (const row of api.rows("/ledger", query)) {
    const { seq, at, kind, available_usd, held_usd, charged_usd, request_id, note } = entrySchema.parse(row);
    rows.push([String(seq), at, kind, available_usd, held_usd, charged_usd, request_id ?? "", note]);
  }
  print(table(rows));
}

async function repair(
  api: AdminApi,
  which: { request_id: string; cost_usd?: string | undefined } | { all: true },
  dryRun: boolean,
): Promise<void> {
  const rows = [["REQUEST", "ACCOUNT", "MODEL", "STATUS", "USD"]];
  for (let after = ""; ; ) {
    const page = pageSchema.parse(await api.call("POST", "/ledger/repair", { ...which, dry_run: dryRun, after }));
    for (const row of page.data) rows.push([row.request_id, row.account_id, row.model, row.status, row.charged_usd]);
    if (page.next_cursor === null) break;
    after = page.next_cursor;
  }
  process.stdout.write(rows.length === 1 ? "No request is unpriced.\n" : `${table(rows)}\n`);
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const [command] = positionals;
  if (values.help || command === undefined) {
    process.stdout.write(help);
    return;
  }
  const target = await readTarget();
  const api = adminApi(target);
  if (command === "list") {
    const { request } = values;
    if (request !== undefined) return await list(api, { request_id: request });
    return await list(api, { account: accountIn(target, values.account) });
  }
  if (command === "repair") {
    const { request: requestId, cost: costUsd } = values;
    if (costUsd !== undefined && requestId === undefined) throw new UserError("--cost needs exactly one --request.");
    const which = requestId === undefined ? ({ all: true } as const) : { request_id: requestId, cost_usd: costUsd };
    return await repair(api, which, values["dry-run"] ?? false);
  }
  throw new UserError(`Unknown command "${command}".\n\n${help}`);
}

await main().catch(fail);
