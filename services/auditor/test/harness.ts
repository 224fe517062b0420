import { startService as startBillingService } from "@uag/billing/service";
import { modelsOn } from "@uag/ledger/documents/store";
import { type AccountServiceServer, AccountServiceService } from "@uag/proto/billing/v1/accounts.ts";
import { type GrantServiceServer, GrantServiceService } from "@uag/proto/billing/v1/grants.ts";
import { type LedgerServiceServer, LedgerServiceService } from "@uag/proto/billing/v1/ledger.ts";
import { Outcome, Pricing, UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { newId, randomText } from "@uag/runtime/ids";
import { keyringOf } from "@uag/runtime/keyring";
import { createRpcClient, type RpcClient } from "@uag/runtime/rpc/client";
import { insecure } from "@uag/runtime/rpc/identity";
import type { AuditParts } from "../src/run.ts";
import { connect, openAuditStore } from "../src/store.ts";

const auditKey = "a7".repeat(32);
/** Tests' calls have generous timeouts, for slow machines. */
const patient = { timeoutMs: 60_000 };

function engineUrl(name: "TEST_MONGODB_URL" | "TEST_NATS_URL"): string {
  const url = process.env[name];
  if (url) return url;
  throw new Error(`Set ${name} to a running server, or run "npm test", which starts both.`);
}

/** Billing on a database of its own, and the parts of an auditor for it. */
export interface Backend extends AsyncDisposable {
  readonly accounts: RpcClient<AccountServiceServer>;
  readonly grants: RpcClient<GrantServiceServer>;
  readonly ledger: RpcClient<LedgerServiceServer>;
  readonly parts: AuditParts;
  /** The auditor's environment. */
  readonly env: NodeJS.ProcessEnv;
  /** Creates an account with money. */
  fund(amount: bigint): Promise<string>;
}

export async function openBackend(): Promise<Backend> {
  await using stack = new AsyncDisposableStack();
  const name = randomText(10);
  const [url, database, ownDatabase] = [engineUrl("TEST_MONGODB_URL"), `books_${name}`, `audit_${name}`];
  const connection = await connect(url, database);
  const own = stack.use(await openAuditStore(url, ownDatabase));
  stack.defer(async () => {
    await own.connection.dropDatabase();
    await connection.dropDatabase();
    await connection.close();
  });
  const service = stack.use(
    await startBillingService({
      MONGODB_URL: url,
      MONGODB_DATABASE: database,
      NATS_URL: engineUrl("TEST_NATS_URL"),
      KEY_PEPPER: "5a".repeat(32),
      TLS: "off",
      LOG_LEVEL: "silent",
      // Holders here send no heartbeats.
      HOLDER_LEASE_MS: "600000",
    }),
  );
  const address = `127.0.0.1:${service.grpcPort}`;
  const accounts = stack.use(createRpcClient<AccountServiceServer>(AccountServiceService, address, insecure, patient));
  const grants = stack.use(createRpcClient<GrantServiceServer>(GrantServiceService, address, insecure, patient));
  const ledger = stack.use(createRpcClient<LedgerServiceServer>(LedgerServiceService, address, insecure, patient));
  const books = { connection, ...modelsOn(connection) };
  const running = stack.move();
  return {
    accounts,
    grants,
    ledger,
    parts: {
      books,
      own,
      keys: keyringOf(auditKey),
      clock: { moment: async () => Date.now() },
      database: { url, database },
    },
    env: {
      MONGODB_URL: url,
      BILLING_DATABASE: database,
      MONGODB_DATABASE: ownDatabase,
      AUDIT_KEY: auditKey,
      AUDIT_FIRST_MS: "0",
      LOG_LEVEL: "silent",
    },
    async fund(amountNanoUsd) {
      const id = newId("acct");
      await accounts.createAccount({ id, name: "" });
      await accounts.topUp({ accountId: id, amountNanoUsd, reference: "r", note: "" });
      return id;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

export function usage(more: Partial<UsageEvent>): UsageEvent {
  return UsageEvent.fromPartial({
    requestId: newId("req"),
    keyId: "key_1",
    holderId: "h",
    operation: "chat.completions",
    model: "m",
    upstream: "sim",
    upstreamModel: "m",
    startedAtMs: 1_700_000_000_000n,
    endedAtMs: 1_700_000_001_000n,
    outcome: Outcome.COMPLETED,
    pricing: Pricing.EXACT,
    priceVersion: "v1",
    attempts: 1,
    status: 200,
    costNanoUsd: 5n,
    holdNanoUsd: 10n,
    units: [{ name: "input_tokens", quantity: 3n }],
    ...more,
  });
}

export const acquireFields = (accountId: string, need: bigint, holderId = "h") => ({
  accountId,
  holderId,
  keyId: "",
  requestId: newId("acq"),
  taskUntilMs: 0n,
  budgetIds: [],
  needNanoUsd: need,
  wantNanoUsd: need,
});
