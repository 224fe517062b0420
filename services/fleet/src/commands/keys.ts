// npm run keys: makes, lists and revokes API keys of the running fleet.
import { parseArgs } from "node:util";
import { createRpcClient, type RpcClient } from "@uag/kit/rpc/client.ts";
import { type Key, type KeyServiceServer, KeyServiceService } from "@uag/proto/billing/v1/keys.ts";
import { Advice, fail } from "../../../../scripts/lib/step.mjs";
import { grpcAddress, parseCount, parseExpiry, parseUsd, readRunningFleet, showUsd } from "./options.ts";
import { table } from "./table.ts";

const help = `npm run keys -- <command> [options]

  create            makes a key; its secret is printed once and never again
    --account <id>      default: the account that npm start made
    --name <text>
    --models <a,b>      models it may use, "*" at an end stands for any rest; default: all
    --expires <when>    30d, or 2027-01-01; default: never
    --rpm <n>           requests per minute
    --tpm <n>           tokens per minute
    --concurrency <n>   requests at the same time
    --budget <usd>      money it may spend in one calendar month
  list              shows the keys
    --account <id>      only this account's
    --all               revoked ones too
  revoke <id>       ends a key, everywhere within a second
`;

const text = { type: "string" } as const;
const options = {
  account: text,
  name: text,
  models: text,
  expires: text,
  rpm: text,
  tpm: text,
  concurrency: text,
  budget: text,
  all: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

type Keys = RpcClient<KeyServiceServer>;
type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function create(keys: Keys, values: Values, accountId: string): Promise<void> {
  const { key, secret } = await keys.createKey({
    accountId,
    name: values.name ?? "",
    models: values.models?.split(",").map((model) => model.trim()) ?? [],
    expiresAtMs: values.expires === undefined ? 0n : parseExpiry(values.expires, Date.now()),
    limits: {
      requestsPerMinute: parseCount("rpm", values.rpm),
      tokensPerMinute: parseCount("tpm", values.tpm),
      concurrentRequests: parseCount("concurrency", values.concurrency),
      monthlyBudgetNanoUsd: values.budget === undefined ? 0n : parseUsd("budget", values.budget),
    },
  });
  // The secret alone goes to stdout, so that a script can take it.
  process.stderr.write(`${key?.id} for ${accountId}. This is its secret; it is not shown again:\n`);
  say(secret);
}

const day = (ms: bigint): string => new Date(Number(ms)).toISOString().slice(0, 16).replace("T", " ");

function stateOf(key: Key): string {
  if (key.revokedAtMs !== 0n) return `revoked ${day(key.revokedAtMs)}`;
  if (key.expiresAtMs === 0n) return "never expires";
  return `${key.expiresAtMs <= BigInt(Date.now()) ? "expired" : "expires"} ${day(key.expiresAtMs)}`;
}

function limitsOf({ limits }: Key): string {
  const shown = [
    limits?.requestsPerMinute ? `${limits.requestsPerMinute} rpm` : "",
    limits?.tokensPerMinute ? `${limits.tokensPerMinute} tpm` : "",
    limits?.concurrentRequests ? `${limits.concurrentRequests} at once` : "",
    limits?.monthlyBudgetNanoUsd ? `${showUsd(limits.monthlyBudgetNanoUsd)} a month` : "",
  ].filter((limit) => limit !== "");
  return shown.join(", ") || "none";
}

async function list(keys: Keys, values: Values): Promise<void> {
  const rows = [["ID", "KEY", "ACCOUNT", "NAME", "MODELS", "LIMITS", "STATE"]];
  let cursor = "";
  do {
    const page = { limit: 1000, cursor };
    const answer = await keys.listKeys({ accountId: values.account ?? "", includeRevoked: values.all ?? false, page });
    for (const key of answer.keys)
      rows.push([
        key.id,
        key.hint,
        key.accountId,
        key.name,
        key.models.join(",") || "all",
        limitsOf(key),
        stateOf(key),
      ]);
    cursor = answer.nextCursor;
  } while (cursor !== "");
  say(table(rows));
}

async function revoke(keys: Keys, id: string | undefined): Promise<void> {
  if (id === undefined) throw new Advice("Which key? npm run keys -- revoke <id>; npm run keys -- list shows the ids");
  const key = await keys.revokeKey({ id });
  say(`${key.id} is revoked.`);
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const [command, id] = positionals;
  if (values.help || command === undefined) return say(help);
  const run = await readRunningFleet();
  using keys = createRpcClient<KeyServiceServer>(KeyServiceService, grpcAddress(run, "billing"));
  if (command === "create") return await create(keys, values, values.account ?? run.account_id);
  if (command === "list") return await list(keys, values);
  if (command === "revoke") return await revoke(keys, id);
  throw new Advice(`There is no command "${command}".\n\n${help}`);
}

await main().catch(fail);
