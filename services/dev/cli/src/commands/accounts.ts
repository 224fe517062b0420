// npm run accounts: lists the accounts of the running fleet, and changes their names and settings.
import { parseArgs } from "node:util";
import { fail, print, UserError } from "@uag/local/terminal/step";
import { z } from "zod";
import { adminApi } from "./admin-api.ts";
import { readRunningFleet } from "./options.ts";
import { table } from "./table.ts";

const help = `npm run accounts -- <command> [options]

  list              lists the accounts
  update <id>       changes the given settings
    --name <text>
    --keep-answers <on|off>   whether responses under an Idempotency-Key are stored and returned to retries; applied
                              within a minute. If off, a retried request is still billed only once
`;

const accountSchema = z.object({
  id: z.string(),
  name: z.string(),
  keep_answers: z.boolean(),
  available_usd: z.string(),
});
type Account = z.infer<typeof accountSchema>;

const text = { type: "string" } as const;
const options = { name: text, "keep-answers": text, help: { type: "boolean", short: "h" } } as const;

const columns = ["ID", "NAME", "RESPONSES STORED", "AVAILABLE USD"];
const rowOf = ({ id, name, keep_answers: keeps, available_usd: available }: Account): string[] => [
  id,
  name,
  keeps ? "on" : "off",
  available,
];

function switchOf(given: string | undefined): boolean | undefined {
  if (given === undefined) return undefined;
  if (given !== "on" && given !== "off") throw new UserError("--keep-answers must be on or off");
  return given === "on";
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const [command, id] = positionals;
  if (values.help || command === undefined) {
    process.stdout.write(help);
    return;
  }
  const api = adminApi(await readRunningFleet());
  const rows = [columns];
  if (command === "list") for await (const row of api.rows("/accounts")) rows.push(rowOf(accountSchema.parse(row)));
  else if (command === "update" && id !== undefined) {
    const change = { name: values.name, keep_answers: switchOf(values["keep-answers"]) };
    rows.push(rowOf(accountSchema.parse(await api.call("PATCH", `/accounts/${encodeURIComponent(id)}`, change))));
  } else throw new UserError(`npm run accounts -- list, or npm run accounts -- update <id>\n\n${help}`);
  print(table(rows));
}

await main().catch(fail);
