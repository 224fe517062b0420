// npm run admin-tokens: creates, lists and revokes tokens of the admin API of the running fleet.
import { fail, print } from "@uag/local/terminal/step";
import { z } from "zod";
import { type Call, runAdminCommand } from "./admin-command.ts";
import { table } from "./table.ts";

const help = `npm run admin-tokens -- <command> [options]

  create            creates a token, which is printed only once
    --name <text>
    --role <role>       operator (everything), billing, keys or read-only; default: operator
    --account <id>      the account that it is valid for; default: all
    --budget <id>       the budget of the account that it is limited to; default: none
    --expires <when>    30d, 12h, or 2027-01-01; default: never
  list              lists the tokens, including revoked ones
  revoke <id>       revokes a token immediately
`;

const tokenSchema = z.object({
  id: z.string(),
  name: z.string(),
  hint: z.string(),
  role: z.string().nullable(),
  account_id: z.string().nullable(),
  budget_id: z.string().nullable(),
  expires: z.string().nullable(),
  revoked_at: z.string().nullable(),
});
type Token = z.infer<typeof tokenSchema>;

const text = { type: "string" } as const;
const options = {
  name: text,
  role: text,
  account: text,
  budget: text,
  expires: text,
  help: { type: "boolean", short: "h" },
} as const;

function stateOf({ revoked_at: revokedAt, expires }: Token): string {
  if (revokedAt !== null) return `revoked ${revokedAt}`;
  if (expires === null) return "valid";
  return `${Date.parse(expires) <= Date.now() ? "expired" : "expires"} ${expires}`;
}

async function list({ api }: Call<typeof options>): Promise<void> {
  const rows = [["ID", "NAME", "TOKEN", "ROLE", "ACCOUNT", "BUDGET", "STATE"]];
  for await (const row of api.rows("/tokens")) {
    const token = tokenSchema.parse(row);
    rows.push([
      token.id,
      token.name,
      token.hint,
      token.role ?? "",
      token.account_id ?? "all",
      token.budget_id ?? "all",
      stateOf(token),
    ]);
  }
  print(table(rows));
}

await runAdminCommand({
  name: "admin-tokens",
  help,
  options,
  commands: {
    list,
    async create({ api, values }) {
      const { name, role, account, budget, expires } = values;
      const made = await api.call("POST", "/tokens", { name, role, account_id: account, budget_id: budget, expires });
      print(z.object({ token: z.string() }).parse(made).token);
    },
  },
  idCommands: {
    async revoke({ api, id }) {
      print(`${tokenSchema.parse(await api.call("DELETE", `/tokens/${id}`)).id} is revoked.`);
    },
  },
}).catch(fail);
