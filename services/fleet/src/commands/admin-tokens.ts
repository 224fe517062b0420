// npm run admin-tokens: creates, lists and revokes tokens of the admin API of the running fleet.
import { parseArgs } from "node:util";
import { fail, UserError } from "@uag/command/step.mjs";
import { z } from "zod";
import { type AdminApi, adminApi } from "./admin-api.ts";
import { readRunningFleet } from "./options.ts";
import { table } from "./table.ts";

const help = `npm run admin-tokens -- <command> [options]

  create            makes a token; it is printed once and never again
    --name <text>
    --role <role>       operator (everything), billing, keys or read-only; default: operator
    --account <id>      the one account that it is good for; default: all
    --expires <when>    30d, 12h, or 2027-01-01; default: never
  list              shows the tokens, the revoked ones too
  revoke <id>       ends a token at once
`;

const tokenSchema = z.object({
  id: z.string(),
  name: z.string(),
  hint: z.string(),
  role: z.string().nullable(),
  account_id: z.string().nullable(),
  expires: z.string().nullable(),
  revoked_at: z.string().nullable(),
});
type Token = z.infer<typeof tokenSchema>;

const text = { type: "string" } as const;
const options = {
  name: text,
  role: text,
  account: text,
  expires: text,
  help: { type: "boolean", short: "h" },
} as const;

const report = (line: string): void => void process.stdout.write(`${line}\n`);

function stateOf({ revoked_at: revokedAt, expires }: Token): string {
  if (revokedAt !== null) return `revoked ${revokedAt}`;
  if (expires === null) return "valid";
  return `${Date.parse(expires) <= Date.now() ? "expired" : "expires"} ${expires}`;
}

async function list(api: AdminApi): Promise<void> {
  const rows = [["ID", "NAME", "TOKEN", "ROLE", "ACCOUNT", "STATE"]];
  for await (const row of api.rows("/tokens")) {
    const token = tokenSchema.parse(row);
    rows.push([token.id, token.name, token.hint, token.role ?? "", token.account_id ?? "all", stateOf(token)]);
  }
  report(table(rows));
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const [command, id] = positionals;
  if (values.help || command === undefined) return report(help);
  const api = adminApi(await readRunningFleet());
  if (command === "create") {
    const { name, role, account, expires } = values;
    const made = await api.call("POST", "/tokens", { name, role, account_id: account, expires });
    return report(z.object({ token: z.string() }).parse(made).token);
  }
  if (command === "list") return await list(api);
  if (command !== "revoke") throw new UserError(`There is no command "${command}".\n\n${help}`);
  if (id === undefined) throw new UserError("Which token? npm run admin-tokens -- list shows the ids");
  report(`${tokenSchema.parse(await api.call("DELETE", `/tokens/${encodeURIComponent(id)}`)).id} is revoked.`);
}

await main().catch(fail);
