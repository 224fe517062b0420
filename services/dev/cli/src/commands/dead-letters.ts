// npm run dead-letters: lists, prices, repairs and replays usage that metering could not apply.
import { parseArgs } from "node:util";
import { fail, print, UserError } from "@uag/local/terminal/step";
import {
  type DeadLetter,
  type UsageAdminServiceServer,
  UsageAdminServiceService,
} from "@uag/proto/metering/v1/admin.ts";
import { Pricing } from "@uag/proto/metering/v1/usage.ts";
import type { RpcClient } from "@uag/runtime/rpc/client";
import { parseCost, showUsd } from "./options.ts";
import { replay } from "./replay-dead-letters.ts";
import { table } from "./table.ts";
import { readTarget } from "./target.ts";

const help = `npm run dead-letters -- <command> [options]

Metering dead-letters a usage event that it cannot store or that billing rejects, and a message that it cannot decode or
verify. Neither is charged until you repair or replay it.
  list              list dead-lettered events with the reason and the cost that repairing would charge
  price             set the cost of a dead-lettered request; repair then charges it
    --request <id>  --cost <usd>
  repair            correct, charge and count dead-lettered events, each request once
  replay            publish the messages of the dead-letter stream to the usage stream again; one that still fails returns
                    to the dead-letter stream
  --request <id>    with list and repair: only this request
`;

const text = { type: "string" } as const;
const options = { request: text, cost: text, help: { type: "boolean", short: "h" } } as const;
const timeoutMs = 60_000;

type Client = RpcClient<UsageAdminServiceServer>;

async function find(client: Client, requestId: string): Promise<DeadLetter[]> {
  const { deadLetters } = await client.listDeadLetters({ requestId }, { timeoutMs });
  if (deadLetters.length === 0 && requestId !== "") throw new UserError(`No dead letter for request ${requestId}.`);
  return deadLetters;
}

function costOf({ event }: DeadLetter): string {
  if (event === undefined) return "";
  return event.pricing === Pricing.UNPRICED ? "no price" : showUsd(event.costNanoUsd);
}

function list(found: readonly DeadLetter[]): void {
  const rows = found.map((one) => [
    one.requestId,
    one.accountId,
    one.event?.model ?? "",
    new Date(Number(one.deadLetteredAtMs)).toISOString(),
    costOf(one),
    one.reason,
  ]);
  const head = ["REQUEST", "ACCOUNT", "MODEL", "DEAD-LETTERED AT", "COST", "REASON"];
  process.stdout.write(rows.length === 0 ? "No dead letters.\n" : `${table([head, ...rows])}\n`);
}

async function price(client: Client, found: readonly DeadLetter[], costNanoUsd: bigint): Promise<void> {
  for (const { id, requestId } of found) {
    await client.priceDeadLetter({ id, costNanoUsd }, { timeoutMs });
    print(`${requestId} costs ${showUsd(costNanoUsd)}`);
  }
}

async function repair(client: Client, found: readonly DeadLetter[]): Promise<void> {
  let left = 0;
  for (const { id, requestId } of found) {
    const { refused } = await client.repairDeadLetter({ id }, { timeoutMs });
    if (refused !== "") left++;
    process.stdout.write(`${requestId} ${refused === "" ? "repaired" : `not repaired: ${refused}`}\n`);
  }
  print(`${found.length - left} repaired, ${left} failed`);
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const [command] = positionals;
  if (values.help || command === undefined) {
    process.stdout.write(help);
    return;
  }
  const target = await readTarget();
  if (command === "replay") return await replay(target);
  const { request = "", cost } = values;
  using client = target.client<UsageAdminServiceServer>("metering", UsageAdminServiceService);
  if (command === "list") return list(await find(client, request));
  if (command === "repair") return await repair(client, await find(client, request));
  if (command !== "price") throw new UserError(`Unknown command "${command}".\n\n${help}`);
  if (request === "" || cost === undefined) throw new UserError("price needs --request and --cost.");
  await price(client, await find(client, request), parseCost("cost", cost));
}

await main().then(() => process.exit(0), fail);
