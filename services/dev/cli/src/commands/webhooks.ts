// npm run webhooks: manages signing secrets and deliveries of the running fleet's webhooks.
import { fail, print } from "@uag/local/terminal/step";
import { z } from "zod";
import { type Call, runAdminCommand } from "./admin-command.ts";
import { parseCount } from "./options.ts";
import { table } from "./table.ts";
import { accountIn } from "./target.ts";

const help = `npm run webhooks -- <command> [options]

  rotate            creates a signing secret, which is printed only once
    --account <id>      default: the account created by npm start
    --overlap <hours>   how long earlier secrets also sign; default 24
    --immediately       ends earlier secrets immediately
  secrets           lists the current signing secrets without their values
    --account <id>
  end <id>          ends an earlier secret
  list              lists deliveries, newest first
    --account <id>      only deliveries of this account
    --state <state>     pending, delivered, failed or stopped
    --task <id>         only deliveries of this task
    --limit <n>         default 20
  show <id>         shows a delivery with its attempts and body
  replay <id>       resends a delivery under the same id
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

type WebhookCall = Call<typeof options>;

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

const accountOf = ({ values, target }: WebhookCall): string => accountIn(target, values.account);

async function rotate(call: WebhookCall): Promise<void> {
  const { overlap, immediately = false } = call.values;
  const hours = overlap === undefined ? undefined : Number(parseCount("overlap", overlap));
  const overlapSeconds = immediately ? 0 : hours && hours * 3_600;
  const body = { account_id: accountOf(call), overlap_seconds: overlapSeconds };
  const made = await call.api.call("POST", "/webhooks/secrets", body);
  const { secret, earlier_secrets_end_at: until } = newSecretSchema.parse(made);
  print(secret);
  if (until !== null) print(`Earlier secrets sign until ${until}.`);
}

async function secrets(call: WebhookCall): Promise<void> {
  const rows = [["ID", "ENDS WITH", "CREATED", "SIGNS UNTIL"]];
  const query = { account: accountOf(call), limit: undefined };
  for await (const row of call.api.rows("/webhooks/secrets", query)) {
    const { id, hint, created_at: made, ends_at: until } = secretSchema.parse(row);
    rows.push([id, hint, made, until ?? ""]);
  }
  print(table(rows));
}

async function list({ api, values }: WebhookCall): Promise<void> {
  const { account, state, task, limit } = values;
  let left = limit === undefined ? usualLimit : Number(parseCount("limit", limit));
  const rows = [["ID", "STATE", "TYPE", "TASK", "ATTEMPTS", "LAST ERROR", "NEXT ATTEMPT"]];
  for await (const row of api.rows("/webhooks/deliveries", { account, state, task, limit: "100" })) {
    if (left-- <= 0) break;
    const { id, attempts, next_attempt_at: next, ...delivery } = deliverySchema.parse(row);
    const last = attempts.at(-1)?.error ?? "";
    rows.push([id, delivery.state, delivery.type, delivery.task_id, String(attempts.length), last, next ?? ""]);
  }
  print(table(rows));
}

await runAdminCommand({
  name: "webhooks",
  help,
  options,
  commands: { rotate, secrets, list },
  idCommands: {
    async end({ api, id }) {
      await api.call("DELETE", `/webhooks/secrets/${id}`);
      print(`${id} has ended.`);
    },
    async show({ api, id }) {
      print(JSON.stringify(await api.call("GET", `/webhooks/deliveries/${id}`), null, 2));
    },
    async replay({ api, id }) {
      await api.call("POST", `/webhooks/deliveries/${id}/replay`);
      print(`${id} will be resent.`);
    },
  },
}).catch(fail);
