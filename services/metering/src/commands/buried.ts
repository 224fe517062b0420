// MONGODB_URL=… BILLING_ADDR=… node services/metering/src/commands/buried.ts: lists and repairs usage that could not be applied.
import { parseArgs } from "node:util";
import { readConfig } from "@uag/kit/config.ts";
import { createLogger } from "@uag/kit/log.ts";
import { createMetrics } from "@uag/kit/metrics.ts";
import { createRpcClient } from "@uag/kit/rpc/client.ts";
import { openIdentity } from "@uag/kit/rpc/identity.ts";
import { type LedgerServiceServer, LedgerServiceService } from "@uag/proto/billing/v1/ledger.ts";
import { listBuried, repairBuried } from "../apply/unbury.ts";
import { schema } from "../config.ts";
import { createEvents } from "../events.ts";
import { connectMongo } from "../store/connection.ts";
import { openStore } from "../store/store.ts";

const help = `node services/metering/src/commands/buried.ts <list | repair> [options]

  list              usage that could not be applied, and why
  repair            puts right what can be, charges it and counts it, each request once
    --request <id>    only this one
    --cost-nano <n>   what it costs, nano-USD, by your word; with --request
`;

async function main(): Promise<void> {
  const text = { type: "string" } as const;
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { request: text, "cost-nano": text } });
  const [command] = positionals;
  if (command !== "list" && command !== "repair") {
    process.stdout.write(help);
    return;
  }
  const { request: requestId = "" } = values;
  const cost = values["cost-nano"] === undefined ? undefined : BigInt(values["cost-nano"]);
  if (cost !== undefined && requestId === "") throw new Error("--cost-nano is said of one --request");
  const books = { MONGODB_URL: true, MONGODB_DATABASE: true, BILLING_ADDR: true, RAW_USAGE_TTL_DAYS: true } as const;
  const tls = { TLS: true, TLS_CA_FILE: true, TLS_CERT_FILE: true, TLS_KEY_FILE: true } as const;
  const config = readConfig(schema.pick({ ...books, ...tls }));
  const log = createLogger({ service: "metering-buried", level: "error" });
  const connection = await connectMongo({ url: config.MONGODB_URL, database: config.MONGODB_DATABASE });
  const store = await openStore(connection, { rawUsageTtlDays: config.RAW_USAGE_TTL_DAYS });
  using billing = createRpcClient<LedgerServiceServer>(
    LedgerServiceService,
    config.BILLING_ADDR,
    openIdentity(config, log),
  );
  const events = createEvents(log, createMetrics("metering-buried"));
  // Nothing that was buried has been counted, however long ago it ended.
  const options = { store, billing, events, expiredBeforeMs: () => 0 };
  const found =
    command === "list"
      ? (await listBuried(options, requestId)).map((one) => ({ ...one, repaired: false }))
      : await repairBuried(options, { requestId, cost });
  for (const one of found) {
    process.stdout.write(`${one.requestId} ${one.accountId} ${one.repaired ? "repaired" : "buried"}: ${one.reason}\n`);
  }
  process.stdout.write(`${found.length} in all\n`);
  await connection.close();
}

await main();
