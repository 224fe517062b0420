// npm run topup: adds money to an account of the running fleet.
import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import { fail, UserError } from "@uag/local/terminal/step";
import { z } from "zod";
import { adminApi } from "./admin-api.ts";
import { showUsd } from "./options.ts";
import { accountIn, readTarget } from "./target.ts";

const help = `npm run topup -- --usd <amount> [options]

  --usd <amount>      negative for a correction (--usd=-5), which cannot exceed the available balance
  --account <id>      default: the account created by npm start
  --reference <text>  a reference tops up only once; default: a new one
  --note <text>
`;

const text = { type: "string" } as const;
const accountSchema = z.object({
  id: z.string(),
  available_usd: z.string(),
  written_off_usd: z.string(),
  written_off_nano_usd: z.number(),
  repaid_nano_usd: z.number(),
});
type Account = z.infer<typeof accountSchema>;

/** The state of an account after a top-up, one sentence per line. */
function summaryOf(before: Account, after: Account): string {
  const repaid = after.repaid_nano_usd - before.repaid_nano_usd;
  const lines = [
    `${after.id} has ${after.available_usd} USD available.`,
    repaid > 0 ? `${showUsd(BigInt(repaid))} repaid write-offs of earlier requests.` : "",
    after.written_off_nano_usd > 0 ? `It still has write-offs of ${after.written_off_usd} USD.` : "",
  ];
  return `${lines.filter((line) => line !== "").join("\n")}\n`;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { usd: text, account: text, reference: text, note: text, help: { type: "boolean", short: "h" } },
  });
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  if (values.usd === undefined) throw new UserError(`--usd is missing.\n\n${help}`);
  const target = await readTarget();
  const path = `/accounts/${encodeURIComponent(accountIn(target, values.account))}`;
  const admin = adminApi(target);
  const before = accountSchema.parse(await admin.call("GET", path));
  const reference = values.reference ?? randomUUID();
  const topUp = { amount_usd: values.usd, reference, note: values.note };
  const response = z.object({ account: accountSchema }).parse(await admin.call("POST", `${path}/top-ups`, topUp));
  process.stdout.write(summaryOf(before, response.account));
}

await main().catch(fail);
