// npm run admin-tokens: makes, lists and revokes tokens of the admin API of the running fleet.
import { parseArgs } from "node:util";
import { z } from "zod";
import { Advice, fail } from "../../../../scripts/lib/step.mjs";
import { adminApi } from "./admin-api.ts";
import { readRunningFleet } from "./options.ts";
import { table } from "./table.ts";

const help = `npm run admin-tokens -- <command>

  create --name <text>  makes a token; it is printed once and never again
  list                  shows the tokens, the revoked ones too
  revoke <id>           ends a token at once
`;

const tokenSchema = z.object({ id: z.string(), name: z.string(), hint: z.string(), revoked_at: z.string().nullable() });

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { name: { type: "string" }, help: { type: "boolean", short: "h" } },
  });
  const [command, id] = positionals;
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  if (values.help || command === undefined) return say(help);
  const api = adminApi(await readRunningFleet());
  if (command === "create") {
    const made = await api.call("POST", "/tokens", { name: values.name });
    return say(z.object({ token: z.string() }).parse(made).token);
  }
  if (command === "list") {
    const rows = [["ID", "NAME", "TOKEN", "STATE"]];
    for await (const row of api.rows("/tokens")) {
      const token = tokenSchema.parse(row);
      rows.push([
        token.id,
        token.name,
        token.hint,
        token.revoked_at === null ? "valid" : `revoked ${token.revoked_at}`,
      ]);
    }
    return say(table(rows));
  }
  if (command !== "revoke") throw new Advice(`There is no command "${command}".\n\n${help}`);
  if (id === undefined) throw new Advice("Which token? npm run admin-tokens -- list shows the ids");
  say(`${tokenSchema.parse(await api.call("DELETE", `/tokens/${encodeURIComponent(id)}`)).id} is revoked.`);
}

await main().catch(fail);
