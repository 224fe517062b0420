// npm run alerts: manages spend alerts of the running fleet.
import { parseArgs } from "node:util";
import { fail, UserError } from "@uag/command/step.mjs";
import { z } from "zod";
import { type AdminApi, adminApi } from "./admin-api.ts";
import { parseCount, readRunningFleet } from "./options.ts";
import { table } from "./table.ts";

const help = `npm run alerts -- <command> [options]

  list              shows an account's alerts, and what they have told this month
    --account <id>      default: the account that npm start made
  create            has people told when a part of a month's amount is spent
    --usd <amount>      what is 100 %
    --account <id>
    --key <id>          of this key alone; default: all the account's keys together
    --name <text>
    --at <50,80,100>    percent; these by default
    --webhook <url>
    --email <a,b>
  delete <id>       ends an alert
  test <id>         sends a test to its receivers
`;

const text = { type: "string" } as const;
const options = {
  account: text,
  usd: text,
  key: text,
  name: text,
  at: text,
  webhook: text,
  email: text,
  help: { type: "boolean", short: "h" },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

const alertSchema = z.object({
  id: z.string(),
  account_id: z.string(),
  key_id: z.string().nullable(),
  name: z.string(),
  monthly_usd: z.string(),
  thresholds: z.array(z.number()),
  webhook_url: z.string().nullable(),
  emails: z.array(z.string()),
  month: z.string(),
  spent_usd: z.string(),
  notices: z.array(z.object({ month: z.string(), threshold: z.number() })),
});
type Alert = z.infer<typeof alertSchema>;

function report(line: string): void {
  process.stdout.write(`${line}\n`);
}

const listed = (given: string | undefined): string[] | undefined => given?.split(",").map((one) => one.trim());

function rowOf(alert: Alert): string[] {
  const { id, account_id, key_id, name, monthly_usd, spent_usd, thresholds, webhook_url, emails } = alert;
  const told = alert.notices.filter(({ month }) => month === alert.month).map(({ threshold }) => threshold);
  const receivers = [...emails, ...(webhook_url === null ? [] : [webhook_url])];
  const spent = `${spent_usd} of ${monthly_usd} USD`;
  return [id, key_id ?? account_id, name, spent, thresholds.join(), [...new Set(told)].join(), receivers.join()];
}

async function list(api: AdminApi, account: string): Promise<void> {
  const rows = [["ID", "FOR", "NAME", "SPENT THIS MONTH", "AT %", "TOLD", "RECEIVERS"]];
  for await (const row of api.rows("/alerts", { account, limit: undefined })) rows.push(rowOf(alertSchema.parse(row)));
  report(table(rows));
}

async function create(api: AdminApi, values: Values, account: string): Promise<void> {
  const { usd, key, name, at, webhook, email } = values;
  if (usd === undefined) throw new UserError("How much a month is 100 %? npm run alerts -- create --usd <amount>");
  const made = await api.call("POST", "/alerts", {
    account_id: account,
    key_id: key,
    name,
    monthly_usd: usd,
    thresholds: listed(at)?.map((percent) => Number(parseCount("at", percent))),
    webhook_url: webhook,
    emails: listed(email),
  });
  report(alertSchema.parse(made).id);
}

async function withId(api: AdminApi, command: string, id: string): Promise<void> {
  const path = `/alerts/${encodeURIComponent(id)}`;
  if (command === "delete") {
    await api.call("DELETE", path);
    report(`${id} is deleted.`);
  } else if (command === "test") {
    await api.call("POST", `${path}/test`);
    report(`A test of ${id} is on its way: npm run webhooks -- list shows how it fares.`);
  } else throw new UserError(help);
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const [command, id] = positionals;
  if (values.help || command === undefined) return report(help);
  const run = await readRunningFleet();
  const api = adminApi(run);
  const account = values.account ?? run.account_id;
  if (command === "list") return await list(api, account);
  if (command === "create") return await create(api, values, account);
  if (id === undefined) throw new UserError(help);
  await withId(api, command, id);
}

await main().catch(fail);
