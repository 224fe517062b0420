// npm run topup: puts money on an account of the running fleet.
import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import { z } from "zod";
import { Advice, fail } from "../../../../scripts/lib/step.mjs";
import { adminApi } from "./admin-api.ts";
import { readRunningFleet } from "./options.ts";

const help = `npm run topup -- --usd <amount> [options]

  --usd <amount>      negative for a correction (--usd=-5); never takes more than is available
  --account <id>      default: the account that npm start made
  --reference <text>  the same reference tops up once; default: a new one
  --note <text>
`;

const text = { type: "string" } as const;
const answerSchema = z.object({ account: z.object({ id: z.string(), available_usd: z.string() }) });

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { usd: text, account: text, reference: text, note: text, help: { type: "boolean", short: "h" } },
  });
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  if (values.usd === undefined) throw new Advice(`How much?\n\n${help}`);
  const run = await readRunningFleet();
  const path = `/accounts/${encodeURIComponent(values.account ?? run.account_id)}/top-ups`;
  const reference = values.reference ?? randomUUID();
  const answer = await adminApi(run).call("POST", path, { amount_usd: values.usd, reference, note: values.note });
  const { account } = answerSchema.parse(answer);
  process.stdout.write(`${account.id} has ${account.available_usd} USD available.\n`);
}

await main().catch(fail);
