import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AccountServiceServer, AccountServiceService } from "@uag/proto/billing/v1/accounts.ts";
import { type LedgerServiceServer, LedgerServiceService } from "@uag/proto/billing/v1/ledger.ts";
import { type MeteringServiceServer, MeteringServiceService } from "@uag/proto/metering/v1/metering.ts";
import type { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { connectBus } from "@uag/runtime/bus";
import { randomText } from "@uag/runtime/ids";
import { createLogger } from "@uag/runtime/log";
import { createRpcClient, type RpcClient } from "@uag/runtime/rpc/client";
import { insecure } from "@uag/runtime/rpc/identity";
import { createConnection } from "mongoose";
import { Child } from "./child.ts";
import { engineUrl } from "./engine-url.ts";

/** Tests' calls have generous timeouts, for slow machines. */
const patient = { timeoutMs: 60_000 };

/** Billing and metering, and a directory for journals: everything that an admission needs. */
export interface Backend extends AsyncDisposable {
  readonly prefix: string;
  readonly billing: Child;
  readonly metering: Child;
  readonly journalDir: string;
  readonly accounts: RpcClient<AccountServiceServer>;
  readonly ledger: RpcClient<LedgerServiceServer>;
  readonly usage: RpcClient<MeteringServiceServer>;
  /** Creates an account with this much money. */
  account(nanoUsd: bigint): Promise<string>;
  /**
   * Makes billing treat these holders' leases as expired; their money stays held until they, or an
   * adopter, return it, or until the grace period has passed.
   * @param since start of the grace period; default: now
   */
  fence(holderIds: readonly string[], since?: Date): Promise<void>;
  /** All of an account's events that metering has. */
  events(accountId: string): Promise<UsageEvent[]>;
  /** A replica's settings, as a child's environment or for {@link replica}. */
  readonly env: Record<string, string>;
}

/** Billing and metering as processes with databases and streams of their own. */
export async function startBackend(billingEnv: Record<string, string> = {}): Promise<Backend> {
  await using stack = new AsyncDisposableStack();
  const prefix = `t${randomText(10)}_`;
  const [mongodb, nats] = [engineUrl("TEST_MONGODB_URL"), engineUrl("TEST_NATS_URL")];
  const journalDir = await mkdtemp(join(tmpdir(), "admission-"));
  stack.defer(() => rm(journalDir, { recursive: true, force: true }));
  stack.defer(() => dropAll(mongodb, nats, prefix));
  const common = { MONGODB_URL: mongodb, NATS_URL: nats };
  const billing = stack.use(
    new Child("billing", { ...common, MONGODB_DATABASE: `${prefix}b`, KEY_PEPPER: "5a".repeat(32), ...billingEnv }),
  );
  await billing.start();
  const billingAddress = `127.0.0.1:${billing.port}`;
  const metering = stack.use(
    new Child("metering", {
      ...common,
      MONGODB_DATABASE: `${prefix}m`,
      BILLING_ADDR: billingAddress,
      STREAM_PREFIX: prefix,
    }),
  );
  await metering.start();
  const meteringAddress = `127.0.0.1:${metering.port}`;
  const accounts = stack.use(
    createRpcClient<AccountServiceServer>(AccountServiceService, billingAddress, insecure, patient),
  );
  const ledger = stack.use(
    createRpcClient<LedgerServiceServer>(LedgerServiceService, billingAddress, insecure, patient),
  );
  const usage = stack.use(
    createRpcClient<MeteringServiceServer>(MeteringServiceService, meteringAddress, insecure, patient),
  );
  const running = stack.move();
  return {
    prefix,
    billing,
    metering,
    journalDir,
    accounts,
    ledger,
    usage,
    env: {
      BILLING: billingAddress,
      METERING: meteringAddress,
      NATS: nats,
      JOURNAL_DIR: journalDir,
      STREAM_PREFIX: prefix,
    },
    async account(nanoUsd) {
      const { id } = await accounts.createAccount({ id: "", name: "test" });
      await accounts.topUp({ accountId: id, amountNanoUsd: nanoUsd, reference: "first", note: "" });
      return id;
    },
    fence: (holderIds, since = new Date()) => orphan(`${prefix}b`, holderIds, since),
    events: (accountId) => eventsOf(usage, accountId),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function orphan(dbName: string, holderIds: readonly string[], orphanedAt: Date): Promise<void> {
  const connection = await createConnection(engineUrl("TEST_MONGODB_URL"), { dbName }).asPromise();
  const holders = connection.collection<{ _id: string }>("holders");
  await holders.updateMany({ _id: { $in: [...holderIds] } }, { $set: { state: "orphaned", orphanedAt } });
  await connection.close();
}

async function eventsOf(usage: Backend["usage"], accountId: string): Promise<UsageEvent[]> {
  const found: UsageEvent[] = [];
  const filter = { accountId, keyId: "", model: "", operation: "", fromMs: 0n, untilMs: 0n };
  for (let cursor = ""; ; ) {
    const page = await usage.listEvents({ filter, page: { limit: 1_000, cursor } });
    found.push(...page.events);
    cursor = page.nextCursor;
    if (cursor === "") return found;
  }
}

async function dropAll(mongodb: string, nats: string, prefix: string): Promise<void> {
  const connection = await createConnection(mongodb).asPromise();
  for (const name of ["b", "m"]) await connection.useDb(prefix + name).dropDatabase();
  await connection.close();
  await using bus = await connectBus({
    settings: { NATS_URL: nats },
    name: "test",
    log: createLogger({ service: "t", level: "silent" }),
  });
  const manager = await bus.connection.jetstreamManager();
  for (const name of ["USAGE", "USAGE_DEAD"]) await manager.streams.delete(prefix + name).catch(() => undefined);
}
