// npm run alerts: manages spend alerts of the running fleet.
import { fail, print, UserError } from "@uag/local/terminal/step";
import { z } from "zod";
import { type Call, runAdminCommand } from "./admin-command.ts";
import { parseCount } from "./options.ts";
import { table } from "./table.ts";

const help = `npm run alerts -- <command> [options]

  list              shows an account's alerts, and what they have told this month
    --account <id>      default: the account that npm start made
  create            has people told when a part of a month's amount is spent, or little money is left; one of:
    --usd <amount>      what is 100 % of a month
    --budget            the monthly budget of --key is
    --below <amount>    the account has less than this left
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
  budget: { type: "boolean" },
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

/** How things stand, and what has to come for people to be told. */
function stateOf({ kind, spent_usd, monthly_usd, below_usd, balance_usd, thresholds }: Alert): [string, string] {
  if (kind === "balance") return [`${balance_usd} USD left`, `< ${below_usd} USD`];
  const of = monthly_usd === null ? "no budget" : `${monthly_usd} USD`;
  return [`${spent_usd} of ${of}`, `${thresholds.join()} %`];
}

/** An address, with a note when it receives no alerts yet. */
function emailText({ unconfirmed_emails: waiting }: Alert, email: string): string {
  return waiting?.includes(email) ? `${email} (waiting for confirmation)` : email;
}

function rowOf(alert: Alert): string[] {
  const { id, account_id, key_id, name, webhook_url } = alert;
  const lately = alert.notices.filter(({ month }) => month === alert.month);
  const told = lately.map(({ threshold }) => (threshold === null ? "low" : `${threshold}`));
  const receivers = [...alert.emails.map((email) => emailText(alert, email)), webhook_url ?? []].flat();
  return [id, key_id ?? account_id, name, ...stateOf(alert), [...new Set(told)].join(), receivers.join()];
}

const accountOf = ({ values, run }: AlertCall): string => values.account ?? run.account_id;

async function list(call: AlertCall): Promise<void> {
  const rows = [["ID", "FOR", "NAME", "THIS MONTH", "TELLS AT", "TOLD", "RECEIVERS"]];
  const query = { account: accountOf(call), limit: undefined };
  for await (const row of call.api.rows("/alerts", query)) rows.push(rowOf(alertSchema.parse(row)));
  print(table(rows));
}

function kindOf({ values: { usd, budget, below } }: AlertCall): Alert["kind"] {
  const given = [usd !== undefined && "spend", budget && "budget", below !== undefined && "balance"] as const;
  const [kind, ...others] = given.filter((one) => one !== undefined && one !== false);
  if (kind !== undefined && others.length === 0) return kind;
  throw new UserError(
    "Choose what to report: npm run alerts -- create with one of --usd <amount>, --budget, --below <amount>",
  );
}

async function create(call: AlertCall): Promise<void> {
  const { usd, below, key, name, at, webhook, email } = call.values;
  const made = await call.api.call("POST", "/alerts", {
    account_id: accountOf(call),
    kind: kindOf(call),
    key_id: key,
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
      print(`A test of ${id} is on its way: npm run webhooks -- list shows how it fares.`);
    },
  },
}).catch(fail);
