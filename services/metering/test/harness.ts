import { GatewayError } from "@uag/contract/errors/gateway-error";
import { partitionOf } from "@uag/contract/messages/usage-subjects";
import { engineUrl } from "@uag/harness/engine-url";
import { waitFor } from "@uag/harness/testing/wait-for";
import { Account, type AccountServiceServer, AccountServiceService } from "@uag/proto/billing/v1/accounts.ts";
import { Budget, type BudgetServiceServer, BudgetServiceService } from "@uag/proto/billing/v1/budgets.ts";
import { Key, type KeyServiceServer, KeyServiceService } from "@uag/proto/billing/v1/keys.ts";
import { type LedgerServiceServer, LedgerServiceService } from "@uag/proto/billing/v1/ledger.ts";
import { type UsageAdminServiceServer, UsageAdminServiceService } from "@uag/proto/metering/v1/admin.ts";
import { type MeteringServiceServer, MeteringServiceService } from "@uag/proto/metering/v1/metering.ts";
import { Outcome, Pricing, UsageBatch, UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { type Bus, connectBus } from "@uag/runtime/bus";
import { randomText } from "@uag/runtime/ids";
import { createLogger } from "@uag/runtime/log";
import { createRpcClient, type RpcClient } from "@uag/runtime/rpc/client";
import { insecure } from "@uag/runtime/rpc/identity";
import { type RpcService, serveRpc, unaryService } from "@uag/runtime/rpc/server";
import { createConnection } from "mongoose";
import { startService } from "../src/service.ts";
import { type StreamNames, streamNames } from "../src/stream/topology.ts";

/** Tests' calls have generous timeouts, for slow machines. */
const patient = { timeoutMs: 60_000 };
const silent = createLogger({ service: "test", level: "silent" });

/** A ledger in memory: settles each request once, and fails on demand. */
interface FakeBilling extends AsyncDisposable {
  readonly address: string;
  readonly settled: Map<string, bigint>;
  /** The accounts' top-ups and balances. */
  readonly balances: Map<string, { availableNanoUsd: bigint; toppedUpNanoUsd: bigint }>;
  /** Keys' monthly budgets. */
  readonly budgets: Map<string, bigint>;
  readonly sharedBudgets: Map<string, Partial<Budget>>;
  /** How often an account or a key was asked for, by id. */
  readonly lookups: Map<string, number>;
  /** The part of a request's cost that no money covers. */
  writtenOff: (event: UsageEvent) => bigint;
  /** What the next calls fail with, if anything. */
  failure: (events: UsageEvent[]) => Error | undefined;
}

async function startFakeBilling(): Promise<FakeBilling> {
  const settled = new Map<string, bigint>();
  const fake = {
    settled,
    balances: new Map<string, { availableNanoUsd: bigint; toppedUpNanoUsd: bigint }>(),
    budgets: new Map<string, bigint>(),
    sharedBudgets: new Map<string, Partial<Budget>>(),
    lookups: new Map<string, number>(),
    writtenOff: (_: UsageEvent): bigint => 0n,
    address: "",
    failure: (_: UsageEvent[]): Error | undefined => undefined,
    [Symbol.asyncDispose]: async (): Promise<void> => undefined,
  };
  const service = unaryService<LedgerServiceServer>(
    LedgerServiceService,
    {
      async settle({ events }) {
        const error = fake.failure(events);
        if (error) throw error;
        const responses = events.map((event) => {
          const { requestId, costNanoUsd } = event;
          const writtenOffNanoUsd = fake.writtenOff(event);
          const isNew = !settled.has(requestId);
          if (isNew) settled.set(requestId, costNanoUsd);
          return { requestId, new: isNew, chargedNanoUsd: costNanoUsd - writtenOffNanoUsd, writtenOffNanoUsd };
        });
        return { settled: responses };
      },
      async listEntries() {
        throw new GatewayError("not_found");
      },
      async audit() {
        throw new GatewayError("not_found");
      },
    },
    silent,
  );
  const services = [service, ...lookupServices(fake)];
  const server = await serveRpc({ identity: insecure, host: "127.0.0.1", port: 0, services });
  fake.address = `127.0.0.1:${server.port}`;
  fake[Symbol.asyncDispose] = async () => await server[Symbol.asyncDispose]();
  return fake;
}

/** Billing's replies about accounts, keys and shared budgets. */
function lookupServices({ balances, budgets, sharedBudgets, lookups }: FakeBilling): RpcService[] {
  const count = (id: string): void => void lookups.set(id, (lookups.get(id) ?? 0) + 1);
  const unused = async (): Promise<never> => {
    throw new GatewayError("not_found");
  };
  const accounts = {
    createAccount: unused,
    listAccounts: unused,
    topUp: unused,
    getSubscription: unused,
    getAccount: async ({ id }: { id: string }) => {
      count(id);
      const balance = balances.get(id);
      if (balance === undefined) throw new GatewayError("service_unavailable");
      return Account.fromPartial({ id, ...balance, heldNanoUsd: 0n });
    },
  };
  const others = {
    resolveKeys: unused,
    createKey: unused,
    listKeys: unused,
    updateKey: unused,
    revokeKey: unused,
    listKeyIds: unused,
  };
  const keys = {
    ...others,
    getKey: async ({ id }: { id: string }) => {
      count(id);
      return Key.fromPartial({ id, limits: { monthlyBudgetNanoUsd: budgets.get(id) ?? 0n } });
    },
  };
  const shared = {
    createBudget: unused,
    listBudgets: unused,
    updateBudget: unused,
    deleteBudget: unused,
    listEndUsers: unused,
    getBudget: async ({ id }: { id: string }) => {
      count(id);
      return Budget.fromPartial({ id, ...sharedBudgets.get(id) });
    },
  };
  return [
    unaryService<BudgetServiceServer>(BudgetServiceService, shared, silent),
    unaryService<AccountServiceServer>(AccountServiceService, accounts, silent),
    unaryService<KeyServiceServer>(KeyServiceService, keys, silent),
  ];
}

export interface Bench extends AsyncDisposable {
  readonly billing: FakeBilling;
  readonly usage: RpcClient<MeteringServiceServer>;
  readonly admin: RpcClient<UsageAdminServiceServer>;
  readonly bus: Bus;
  readonly names: StreamNames;
  readonly env: NodeJS.ProcessEnv;
  readonly adminPort: number;
  /** Address of its gRPC. */
  readonly address: string;
  /** Publishes one batch; returns its id. */
  publish(events: UsageEvent[], batchId?: string): Promise<string>;
  applied(batchIds: string[]): Promise<void>;
}

/** Metering in this process on a database and streams of its own, with a ledger in memory. */
export async function startBench(
  settings: Record<string, string> = {},
  prefix = `t${randomText(10)}_`,
): Promise<Bench> {
  await using stack = new AsyncDisposableStack();
  const [mongodb, nats] = [engineUrl("TEST_MONGODB_URL"), engineUrl("TEST_NATS_URL")];
  const billing = stack.use(await startFakeBilling());
  const bus = stack.use(await connectBus({ settings: { NATS_URL: nats }, name: "test", log: silent }));
  const names = streamNames(prefix);
  stack.defer(async () => {
    const connection = await createConnection(mongodb, { dbName: `${prefix}m` }).asPromise();
    await connection.dropDatabase();
    await connection.close();
    const manager = await bus.connection.jetstreamManager();
    for (const name of [names.usage, names.dead]) await manager.streams.delete(name).catch(() => undefined);
  });
  const env = {
    MONGODB_URL: mongodb,
    MONGODB_DATABASE: `${prefix}m`,
    NATS_URL: nats,
    BILLING_ADDR: billing.address,
    STREAM_PREFIX: prefix,
    TLS: "off",
    LOG_LEVEL: "silent",
    ...settings,
  };
  const service = stack.use(await startService(env));
  const address = `127.0.0.1:${service.grpcPort}`;
  const usage = stack.use(createRpcClient<MeteringServiceServer>(MeteringServiceService, address, insecure, patient));
  await waitFor(
    async () => {
      const manager = await bus.connection.jetstreamManager();
      const last = names.partitions.at(-1)?.consumer ?? "";
      return (await manager.consumers.info(names.usage, last).catch(() => undefined)) !== undefined;
    },
    { what: "streams" },
  );
  const admin = stack.use(
    createRpcClient<UsageAdminServiceServer>(UsageAdminServiceService, address, insecure, patient),
  );
  const running = stack.move();
  let published = 0;
  return {
    billing,
    usage,
    admin,
    bus,
    names,
    env,
    adminPort: service.adminPort,
    address,
    async publish(events, batchId = `${prefix}:${++published}`) {
      const data = UsageBatch.encode({ batchId, holderId: "h", events }).finish();
      const { subject } = names.partitions[partitionOf(events[0]?.accountId ?? "")] ?? names.undivided;
      await bus.connection.jetstream().publish(subject, data);
      return batchId;
    },
    async applied(batchIds) {
      await waitFor(async () => (await usage.confirmApplied({ batchIds })).applied.length === batchIds.length, {
        what: "applied",
      });
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

export function event(requestId: string, more: Partial<UsageEvent> = {}): UsageEvent {
  return UsageEvent.fromPartial({
    requestId,
    accountId: "acct_1",
    keyId: "key_1",
    holderId: "h",
    grantId: "g",
    operation: "chat.completions",
    model: "m",
    upstream: "sim",
    upstreamModel: "m",
    priceVersion: "v1",
    attempts: 1,
    status: 200,
    outcome: Outcome.COMPLETED,
    pricing: Pricing.EXACT,
    holdNanoUsd: 100n,
    costNanoUsd: 10n,
    units: [{ name: "input_tokens", quantity: 3n }],
    startedAtMs: BigInt(Date.now()),
    endedAtMs: BigInt(Date.now()),
    ...more,
  });
}
