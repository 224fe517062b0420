// npm run accounts: lists the accounts of the running fleet, and changes their names and settings.
import { parseArgs } from "node:util";
import { fail, print, UserError } from "@uag/local/terminal/step";
import { z } from "zod";
import { adminApi } from "./admin-api.ts";
import { table } from "./table.ts";
import { readTarget } from "./target.ts";

const help = `npm run accounts -- <command> [options]

  list              lists the accounts
  update <id>       changes the given settings
    --name <text>
    --keep-answers <on|off>   whether responses under an Idempotency-Key are stored and returned to retries; applied
                              within a minute. If off, a retried request is still billed only once
    --lower-output-cap <on|off>  when the balance does not cover a request without max_tokens: whether its output is
                              capped at what the balance covers; if off, it is refused. Applied within a second
    --store-responses <on|off>  whether responses of POST /v1/responses are stored, encrypted, for 30 days, so that
                              requests can continue them by id (previous_response_id). Applied within a second
    --disabled <on|off>       whether requests with the account's API keys are refused; applied within a second.
                              Requests in progress are completed and billed
`;

const accountSchema = z.object({
  id: z.string(),
  name: z.string(),
  keep_answers: z.boolean(),
  lower_output_cap: z.boolean(),
  store_responses: z.boolean(),
  disabled: z.boolean(),
  available_usd: z.string(),
});
type Account = z.infer<typeof accountSchema>;

const text = { type: "string" } as const;
const options = {
  name: text,
  "keep-answers": text,
  "lower-output-cap": text,
  "store-responses": text,
  disabled: text,
  help: { type: "boolean", short: "h" },
} as const;

const columns = ["ID", "NAME", "STATUS", "RETRIES STORED", "CAP LOWERED", "RESPONSES STORED", "AVAILABLE USD"];
const onOff = (setting: boolean): string => (setting ? "on" : "off");
const rowOf = ({ id, name, available_usd: available, ...settings }: Account): string[] => [
  id,
  name,
  settings.disabled ? "disabled" : "enabled",
  onOff(settings.keep_answers),
  onOff(settings.lower_output_cap),
  onOff(settings.store_responses),
  available,
];

function switchOf(option: string, given: string | undefined): boolean | undefined {
  if (given === undefined) return undefined;
  if (given !== "on" && given !== "off") throw new UserError(`--${option} must be on or off`);
  return given === "on";
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const [command, id] = positionals;
  if (values.help || command === undefined) {
    process.stdout.write(help);
    return;
  }
  const api = adminApi(await readTarget());
  const rows = [columns];
  if (command === "list") for await (const row of api.rows("/accounts")) rows.push(rowOf(accountSchema.parse(row)));
  else if (command === "update" && id !== undefined) {
    const change = {
      name: values.name,
      keep_answers: switchOf("keep-answers", values["keep-answers"]),
      lower_output_cap: switchOf("lower-output-cap", values["lower-output-cap"]),
      store_responses: switchOf("store-responses", values["store-responses"]),
      disabled: switchOf("disabled", values.disabled),
    };
    rows.push(rowOf(accountSchema.parse(await api.call("PATCH", `/accounts/${encodeURIComponent(id)}`, change))));
  } else throw new UserError(`npm run accounts -- list, or npm run accounts -- update <id>\n\n${help}`);
  print(table(rows));
}

await main().catch(fail);
