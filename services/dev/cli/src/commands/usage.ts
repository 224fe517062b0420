// npm run usage: reports usage of the running fleet.
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import { fail, print, UserError } from "@uag/local/terminal/step";
import { z } from "zod";
import { adminApi } from "./admin-api.ts";
import { readRunningFleet } from "./options.ts";
import { table } from "./table.ts";

const help = `npm run usage [-- options]

Requests and cost by hour or day (UTC), account, key, model and operation.
  --bucket <hour|day>  default: day
  --from <time>        2027-01-31 or 2027-01-31T12:00:00Z
  --until <time>       exclusive; default: now
  --account <id>  --key <id>  --model <name>  --operation <name>
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

const minute = (time: string): string => time.slice(0, 16).replace("T", " ");

async function main(): Promise<void> {
  const { values } = parseArgs({ options });
  const { help: wantsHelp, export: format, bucket, after, ...filter } = values;
  if (wantsHelp) {
    process.stdout.write(help);
    return;
  }
  const api = adminApi(await readRunningFleet());
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
