// npm run webhooks: signing secrets and deliveries of the running fleet's webhooks.
import { parseArgs } from "node:util";
import { createRpcClient, type RpcClient } from "@uag/kit/rpc/client.ts";
import { type Delivery, type WebhookServiceServer, WebhookServiceService } from "@uag/proto/video/v1/webhooks.ts";
import { Advice, fail } from "../../../../scripts/lib/step.mjs";
import { parseCount, readRunningFleet } from "./options.ts";
import { table } from "./table.ts";

const help = `npm run webhooks -- <command> [options]

  rotate            makes a signing secret; it is printed once and never again
    --account <id>      default: the account that npm start made
    --overlap <hours>   how long earlier secrets go on signing beside it; default 24
    --immediately       earlier secrets end at once
  list              shows deliveries with their tries, newest first
    --account <id>      only this account's
    --state <state>     pending, delivered, failed or stopped
    --task <id>         only this task's
    --limit <n>         default 20
  replay <id>       sends a delivery again, under the same id
`;

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
const options = {
  account: text,
  overlap: text,
  immediately: flag,
  state: text,
  task: text,
  limit: text,
  help: { ...flag, short: "h" },
} as const;

type Webhooks = RpcClient<WebhookServiceServer>;
type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

const hourMs = 3_600_000n;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function rotate(webhooks: Webhooks, values: Values, accountId: string): Promise<void> {
  const overlapMs = parseCount("overlap", values.overlap) * hourMs;
  const { secret, earlierUntilMs } = await webhooks.rotateSecret({
    accountId,
    overlapMs,
    immediately: values.immediately ?? false,
  });
  say(secret);
  if (earlierUntilMs > 0n) say(`Earlier secrets sign until ${new Date(Number(earlierUntilMs)).toISOString()}.`);
}

function row(delivery: Delivery): string[] {
  const { id, state, type, taskId, attempts, nextAttemptAtMs } = delivery;
  const last = attempts.at(-1);
  const next = nextAttemptAtMs === 0n ? "" : new Date(Number(nextAttemptAtMs)).toISOString();
  return [id, state, type, taskId, String(attempts.length), last?.error ?? "", next];
}

async function list(webhooks: Webhooks, values: Values): Promise<void> {
  const { deliveries } = await webhooks.listDeliveries({
    accountId: values.account ?? "",
    state: values.state ?? "",
    taskId: values.task ?? "",
    page: { limit: Number(parseCount("limit", values.limit ?? "20")), cursor: "" },
  });
  const head = ["id", "state", "type", "task", "tries", "last error", "next try"];
  say(table([head, ...deliveries.map(row)]));
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const [command, id] = positionals;
  if (values.help || command === undefined) return say(help);
  const run = await readRunningFleet();
  const address = run.grpc["video"]?.split(",", 1)[0];
  if (address === undefined) throw new Advice("The running fleet has no video service.");
  using webhooks = createRpcClient<WebhookServiceServer>(WebhookServiceService, address);
  if (command === "rotate") return await rotate(webhooks, values, values.account ?? run.account_id);
  if (command === "list") return await list(webhooks, values);
  if (command !== "replay" || id === undefined) throw new Advice(help);
  const { delivery } = await webhooks.replay({ id });
  say(`${delivery?.id ?? id} is sent again.`);
}

await main().catch(fail);
process.exit(0);
