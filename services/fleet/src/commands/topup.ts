// Puts money on an account of the running fleet.
import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import { createRpcClient } from "@uag/kit/rpc/client.ts";
import { type AccountServiceServer, AccountServiceService } from "@uag/proto/billing/v1/accounts.ts";
import { Advice, fail } from "../../../../scripts/lib/step.mjs";
import { grpcAddress, parseUsd, readRunningFleet, showUsd } from "./options.ts";

const help = `node scripts/run.mjs services/fleet/src/commands/topup.ts --usd <amount> [options]

  --usd <amount>      may be negative, for a correction; never takes more than is available
  --account <id>      default: the account that npm start made
  --reference <text>  the same reference tops up once; default: a new one
  --note <text>
`;

const text = { type: "string" } as const;

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
  using accounts = createRpcClient<AccountServiceServer>(AccountServiceService, grpcAddress(run, "billing"));
  const account = await accounts.topUp({
    accountId: values.account ?? run.account_id,
    amountNanoUsd: parseUsd("usd", values.usd),
    reference: values.reference ?? randomUUID(),
    note: values.note ?? "",
  });
  process.stdout.write(`${account.id} has ${showUsd(account.availableNanoUsd)} available.\n`);
}

await main().catch(fail);
