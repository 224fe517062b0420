// npm run alerts: manages spend alerts of the running fleet.
import { fail, print, UserError } from "@uag/local/terminal/step";
import { z } from "zod";
import { type Call, runAdminCommand } from "./admin-command.ts";
import { parseCount } from "./options.ts";
import { table } from "./table.ts";
import { accountIn } from "./target.ts";

const help = `npm run alerts -- <command> [options]

  list              lists an account's alerts, and the notices sent this month
    --account <id>      default: the account created by npm start
  create            creates an alert for a monthly amount, a key's budget or a low balance; one of:
    --usd <amount>      100 % of a month's spending
    --budget            the monthly budget of --key is 100 %
    --shared-budget <id>  this budget is 100 %, in each of its periods
    --below <amount>    the account's balance is below this amount
    --account <id>
    --key <id>          only this key's spending; default: all keys of the account
    --name <text>
    --at <50,80,100>    thresholds in percent; default: these
    --webhook <url>
    --email <a,b>
  delete <id>       deletes an alert
  test <id>         sends a test notice to its recipients
`;

const text = { type: "string" } as const;
const options = {
  account: text,
  usd: text,
  budget: { type: "boolean" },
  "shared-budget": text,
  below: text,
  key: text,
  name: text,
  at: text,
  webhook: text,
  email: text,
  help: { type: "boolean", short: "h" },
} as const;

type AlertCall = Call<typeof options>;

const alertSchema = z.object({
  id: z.string(),
  account_id: z.string(),
  key_id: z.string().nullable(),
  budget_id: z.string().nullable(),
  kind: z.enum(["spend", "budget", "balance"]),
  name: z.string(),
  monthly_usd: z.string().nullable(),
  below_usd: z.string().nullable(),
  balance_usd: z.string().nullable(),
  thresholds: z.array(z.number()),
  webhook_url: z.string().nullable(),
  emails: z.array(z.string()),
  unconfirmed_emails: z.array(z.string()).nullable(),
  month: z.string(),
  spent_usd: z.string(),
  notices: z.array(z.object({ month: z.string(), threshold: z.number().nullable() })),
});
type Alert = z.infer<typeof alertSchema>;

const listed = (given: string | undefined): string[] | undefined => given?.split(",").map((one) => one.trim());

/** The current value, and the threshold of the notice. */
function stateOf({ kind, spent_usd, monthly_usd, below_usd, balance_usd, thresholds }: Alert): [string, string] {
  if (kind === "balance") return [`${balance_usd} USD left`, `< ${below_usd} USD`];
  const of = monthly_usd === null ? "no budget" : `${monthly_usd} USD`;
  return [`${spent_usd} of ${of}`, `${thresholds.join()} %`];
}

/** An address, with a note if it receives no alerts yet. */
function emailText({ unconfirmed_emails: waiting }: Alert, email: string): string {
  return waiting?.includes(email) ? `${email} (waiting for confirmation)` : email;
}

function rowOf(alert: Alert): string[] {
  const { id, account_id, key_id, budget_id, name, webhook_url } = alert;
  const lately = alert.notices.filter(({ month }) => month === alert.month);
  const notified = lately.map(({ threshold }) => (threshold === null ? "low" : `${threshold}`));
  const recipients = [...alert.emails.map((email) => emailText(alert, email)), webhook_url ?? []].flat();
  return [
    id,
    budget_id ?? key_id ?? account_id,
    name,
    ...stateOf(alert),
    [...new Set(notified)].join(),
    recipients.join(),
  ];
}

const accountOf = ({ values, target }: AlertCall): string => accountIn(target, values.account);

async function list(call: AlertCall): Promise<void> {
  const rows = [["ID", "FOR", "NAME", "THIS MONTH", "NOTIFIES AT", "NOTIFIED", "RECIPIENTS"]];
  const query = { account: accountOf(call), limit: undefined };
  for await (const row of call.api.rows("/alerts", query)) rows.push(rowOf(alertSchema.parse(row)));
  print(table(rows));
}

function kindOf({ values }: AlertCall): Alert["kind"] {
  const { usd, budget, below, "shared-budget": shared } = values;
  const given = [
    usd !== undefined && "spend",
    budget && "budget",
    shared !== undefined && "budget",
    below !== undefined && "balance",
  ] as const;
  const [kind, ...others] = given.filter((one) => one !== undefined && one !== false);
  if (kind !== undefined && others.length === 0) return kind;
  throw new UserError(
    "Choose a trigger: npm run alerts -- create with one of --usd <amount>, --budget, --shared-budget <id>, --below <amount>",
  );
}

async function create(call: AlertCall): Promise<void> {
  const { usd, below, key, name, at, webhook, email } = call.values;
  const made = await call.api.call("POST", "/alerts", {
    account_id: accountOf(call),
    kind: kindOf(call),
    key_id: key,
    budget_id: call.values["shared-budget"],
    name,
    monthly_usd: usd,
    below_usd: below,
    thresholds: listed(at)?.map((percent) => Number(parseCount("at", percent))),
    webhook_url: webhook,
    emails: listed(email),
  });
  print(alertSchema.parse(made).id);
}

await runAdminCommand({
  name: "alerts",
  help,
  options,
  commands: { list, create },
  idCommands: {
    async delete({ api, id }) {
      await api.call("DELETE", `/alerts/${id}`);
      print(`${id} is deleted.`);
    },
    async test({ api, id }) {
      await api.call("POST", `/alerts/${id}/test`);
      print(`A test of ${id} was queued: npm run webhooks -- list shows its delivery.`);
    },
  },
}).catch(fail);
