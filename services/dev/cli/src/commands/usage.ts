// npm run usage: reports usage of the running fleet.
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import { fail, print, UserError } from "@uag/local/terminal/step";
import { z } from "zod";
import { type AdminApi, adminApi, type Query, withQuery } from "./admin-api.ts";
import { table } from "./table.ts";
import { readTarget } from "./target.ts";

const help = `npm run usage [-- options]

Requests and cost by hour or day (UTC), account, key, model and operation.
  --bucket <hour|day>  default: day
  --from <time>        2027-01-31 or 2027-01-31T12:00:00Z
  --until <time>       exclusive; default: now
  --account <id>  --key <id>  --model <name>  --operation <name>
  --refusals           the last hundred refused requests instead, of one --account, --key or --reason <code>
  --export <csv|ndjson>  writes single requests to stdout instead, newest first; --after <cursor> continues after a row
`;

const text = { type: "string" } as const;
const options = {
  bucket: text,
  from: text,
  until: text,
  account: text,
  key: text,
  model: text,
  operation: text,
  refusals: { type: "boolean" },
  reason: text,
  export: text,
  after: text,
  help: { type: "boolean", short: "h" },
} as const;

const bucketSchema = z.object({
  start: z.string(),
  account_id: z.string(),
  key_id: z.string(),
  model: z.string(),
  operation: z.string(),
  requests: z.number(),
  cost_usd: z.string(),
  units: z.record(z.string(), z.number()),
});

const refusalSchema = z.object({
  refused_at: z.string(),
  account_id: z.string(),
  key_id: z.string(),
  status: z.number(),
  reason: z.string(),
  operation: z.string(),
  model: z.string().nullable(),
  message: z.string(),
});

const minute = (time: string): string => time.slice(0, 16).replace("T", " ");

/** The last refused requests as a table, newest first. */
async function refusalTable(api: AdminApi, filter: Query): Promise<string[][]> {
  const { data } = z
    .object({ data: z.array(refusalSchema) })
    .parse(await api.call("GET", withQuery("/refusals", filter)));
  const rows = data.map((row) => [
    row.refused_at.slice(0, 19).replace("T", " "),
    row.account_id,
    row.key_id,
    String(row.status),
    row.reason,
    row.operation,
    row.model ?? "",
    row.message,
  ]);
  return [["AT", "ACCOUNT", "KEY", "STATUS", "REASON", "OPERATION", "MODEL", "MESSAGE"], ...rows];
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options });
  const { help: wantsHelp, export: format, refusals, reason, bucket, after, ...filter } = values;
  if (wantsHelp) {
    process.stdout.write(help);
    return;
  }
  const api = adminApi(await readTarget());
  if (refusals) {
    const { account, key } = filter;
    print(table(await refusalTable(api, { account, key, reason })));
    return;
  }
  if (format !== undefined) {
    const { body } = await api.open("/usage/export", { ...filter, format, after });
    if (body === null) throw new UserError("The admin API returned no body.");
    await pipeline(Readable.fromWeb(body), process.stdout, { end: false });
    return;
  }
  const rows = [["START", "ACCOUNT", "KEY", "MODEL", "OPERATION", "REQUESTS", "USD", "UNITS"]];
  for await (const row of api.rows("/usage", { ...filter, bucket })) {
    const { start, account_id, key_id, model, operation, requests, cost_usd, units } = bucketSchema.parse(row);
    const counts = Object.entries(units).map(([name, count]) => `${name} ${count}`);
    rows.push([minute(start), account_id, key_id, model, operation, String(requests), cost_usd, counts.join(", ")]);
  }
  print(table(rows));
}

await main().catch(fail);
