// npm run webhooks: manages signing secrets and deliveries of the running fleet's webhooks.
import { parseArgs } from "node:util";
import { fail, UserError } from "@uag/command/step.mjs";
import { z } from "zod";
import { type AdminApi, adminApi } from "./admin-api.ts";
import { parseCount, readRunningFleet } from "./options.ts";
import { table } from "./table.ts";

const help = `npm run webhooks -- <command> [options]

  rotate            makes a signing secret; it is printed once and never again
    --account <id>      default: the account that npm start made
    --overlap <hours>   how long earlier secrets go on signing beside it; default 24
    --immediately       earlier secrets end at once
  secrets           shows what signs now, without what is secret of it
    --account <id>
  end <id>          an earlier secret signs no more
  list              shows deliveries, newest first
    --account <id>      only this account's
    --state <state>     pending, delivered, failed or stopped
    --task <id>         only this task's
    --limit <n>         default 20
  show <id>         shows a delivery with every try and what is sent
  replay <id>       sends a delivery again, under the same id
`;

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
const options = {
  account: text,
  overlap: text,
  immediately: flag,
  state: text,
  task: text,
  limit: text,
  help: { ...flag, short: "h" },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

const secretSchema = z.object({
  id: z.string(),
  hint: z.string(),
  created_at: z.string(),
  ends_at: z.string().nullable(),
});
const newSecretSchema = secretSchema.extend({ secret: z.string(), earlier_secrets_end_at: z.string().nullable() });
const deliverySchema = z.object({
  id: z.string(),
  state: z.string(),
  type: z.string(),
  task_id: z.string(),
  next_attempt_at: z.string().nullable(),
  attempts: z.array(z.object({ error: z.string().nullable() })),
});

const usualLimit = 20;

function report(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function rotate(api: AdminApi, values: Values, accountId: string): Promise<void> {
  const { overlap, immediately = false } = values;
  const hours = overlap === undefined ? undefined : Number(parseCount("overlap", overlap));
  const overlapSeconds = immediately ? 0 : hours && hours * 3_600;
  const made = await api.call("POST", "/webhooks/secrets", { account_id: accountId, overlap_seconds: overlapSeconds });
  const { secret, earlier_secrets_end_at: until } = newSecretSchema.parse(made);
  report(secret);
  if (until !== null) report(`Earlier secrets sign until ${until}.`);
}

async function secrets(api: AdminApi, account: string): Promise<void> {
  const rows = [["ID", "ENDS WITH", "MADE", "SIGNS UNTIL"]];
  for await (const row of api.rows("/webhooks/secrets", { account, limit: undefined })) {
    const { id, hint, created_at: made, ends_at: until } = secretSchema.parse(row);
    rows.push([id, hint, made, until ?? ""]);
  }
  report(table(rows));
}

async function list(api: AdminApi, { account, state, task, limit }: Values): Promise<void> {
  let left = limit === undefined ? usualLimit : Number(parseCount("limit", limit));
  const rows = [["ID", "STATE", "TYPE", "TASK", "TRIES", "LAST ERROR", "NEXT TRY"]];
  for await (const row of api.rows("/webhooks/deliveries", { account, state, task, limit: "100" })) {
    if (left-- <= 0) break;
    const { id, attempts, next_attempt_at: next, ...delivery } = deliverySchema.parse(row);
    const last = attempts.at(-1)?.error ?? "";
    rows.push([id, delivery.state, delivery.type, delivery.task_id, String(attempts.length), last, next ?? ""]);
  }
  report(table(rows));
}

async function withId(api: AdminApi, command: string, id: string): Promise<void> {
  if (command === "end") {
    await api.call("DELETE", `/webhooks/secrets/${id}`);
    report(`${id} signs no more.`);
  } else if (command === "show") {
    report(JSON.stringify(await api.call("GET", `/webhooks/deliveries/${id}`), null, 2));
  } else if (command === "replay") {
    await api.call("POST", `/webhooks/deliveries/${id}/replay`);
    report(`${id} is sent again.`);
  } else throw new UserError(help);
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const [command, id] = positionals;
  if (values.help || command === undefined) return report(help);
  const run = await readRunningFleet();
  const api = adminApi(run);
  const account = values.account ?? run.account_id;
  if (command === "rotate") return await rotate(api, values, account);
  if (command === "secrets") return await secrets(api, account);
  if (command === "list") return await list(api, values);
  if (id === undefined) throw new UserError(help);
  await withId(api, command, encodeURIComponent(id));
}

await main().catch(fail);
