// npm run buried: lists and repairs usage of the running fleet that could not be applied.
import { parseArgs } from "node:util";
import { fail, print, UserError } from "@uag/command/step.mjs";
import type { RpcClient } from "@uag/kit/rpc/client.ts";
import {
  type BuriedEvent,
  type UsageAdminServiceServer,
  UsageAdminServiceService,
} from "@uag/proto/metering/v1/admin.ts";
import { Pricing } from "@uag/proto/metering/v1/usage.ts";
import { operatorClient } from "../operator.ts";
import { parseCost, readRunningFleet, showUsd } from "./options.ts";
import { table } from "./table.ts";

const help = `npm run buried -- <command> [options]

Usage that metering could not store, or that billing would not take, lies buried; nobody has paid for it.
  list              what lies there, why, and what each would be charged
  price             says what a request costs, by your word; repair charges it
    --request <id>  --cost <usd>
  repair            puts right what can be, charges it and counts it, each request once
  --request <id>    list and repair: only this one
`;

const text = { type: "string" } as const;
const options = { request: text, cost: text, help: { type: "boolean", short: "h" } } as const;
const timeoutMs = 60_000;

type Client = RpcClient<UsageAdminServiceServer>;

async function find(client: Client, requestId: string): Promise<BuriedEvent[]> {
  const { buried } = await client.listBuried({ requestId }, { timeoutMs });
  if (buried.length === 0 && requestId !== "") throw new UserError(`Nothing of request ${requestId} is buried.`);
  return buried;
}

function costOf({ event }: BuriedEvent): string {
  if (event === undefined) return "";
  return event.pricing === Pricing.UNPRICED ? "no price" : showUsd(event.costNanoUsd);
}

function list(found: readonly BuriedEvent[]): void {
  const rows = found.map((one) => [
    one.requestId,
    one.accountId,
    one.event?.model ?? "",
    new Date(Number(one.buriedAtMs)).toISOString(),
    costOf(one),
    one.reason,
  ]);
  const head = ["REQUEST", "ACCOUNT", "MODEL", "BURIED AT", "COST", "REASON"];
  process.stdout.write(rows.length === 0 ? "Nothing is buried.\n" : `${table([head, ...rows])}\n`);
}

async function price(client: Client, found: readonly BuriedEvent[], costNanoUsd: bigint): Promise<void> {
  for (const { id, requestId } of found) {
    await client.priceBuried({ id, costNanoUsd }, { timeoutMs });
    print(`${requestId} costs ${showUsd(costNanoUsd)}`);
  }
}

async function repair(client: Client, found: readonly BuriedEvent[]): Promise<void> {
  let left = 0;
  for (const { id, requestId } of found) {
    const { refused } = await client.repairBuried({ id }, { timeoutMs });
    if (refused !== "") left++;
    process.stdout.write(`${requestId} ${refused === "" ? "repaired" : `stays buried: ${refused}`}\n`);
  }
  print(`${found.length - left} repaired, ${left} stay buried`);
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const [command] = positionals;
  if (values.help || command === undefined) {
    process.stdout.write(help);
    return;
  }
  const { request = "", cost } = values;
  using client = operatorClient<UsageAdminServiceServer>(
    await readRunningFleet(),
    "metering",
    UsageAdminServiceService,
  );
  if (command === "list") return list(await find(client, request));
  if (command === "repair") return await repair(client, await find(client, request));
  if (command !== "price") throw new UserError(`There is no command "${command}".\n\n${help}`);
  if (request === "" || cost === undefined) throw new UserError("price needs --request and --cost.");
  await price(client, await find(client, request), parseCost("cost", cost));
}

await main().then(() => process.exit(0), fail);
