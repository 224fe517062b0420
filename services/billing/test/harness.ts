import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { engineUrl } from "@uag/harness/engine-url";
import { type AccountServiceServer, AccountServiceService } from "@uag/proto/billing/v1/accounts.ts";
import { type BudgetServiceServer, BudgetServiceService } from "@uag/proto/billing/v1/budgets.ts";
import { type EnvelopeServiceServer, EnvelopeServiceService } from "@uag/proto/billing/v1/envelopes.ts";
import { type GrantServiceServer, GrantServiceService } from "@uag/proto/billing/v1/grants.ts";
import {
  type KeyServiceServer,
  KeyServiceService,
  type ResolveKeyRequest,
  type ResolveKeyResponse,
} from "@uag/proto/billing/v1/keys.ts";
import { type LedgerServiceServer, LedgerServiceService } from "@uag/proto/billing/v1/ledger.ts";
import { type LimitServiceServer, LimitServiceService } from "@uag/proto/billing/v1/limits.ts";
import { Outcome, Pricing, UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { newId, randomText } from "@uag/runtime/ids";
import { type CallOptions, createRpcClient, type RpcClient } from "@uag/runtime/rpc/client";
import { insecure } from "@uag/runtime/rpc/identity";
import { createConnection } from "mongoose";
import { startService } from "../src/service.ts";

export const pepper = "5a".repeat(32);
/** Tests' calls have generous timeouts, for slow machines. */
const patient = { timeoutMs: 60_000 };

/** One database for one test, dropped when the test ends. */
export interface Scratch extends AsyncDisposable {
  readonly env: NodeJS.ProcessEnv;
  /** Runs `change` on a collection behind the service's back. */
  tamper(collection: string, filter: object, change: object): Promise<void>;
}

export function scratch(settings: Record<string, string> = {}): Scratch {
  const database = `billing_test_${randomText(12)}`;
  const url = engineUrl("TEST_MONGODB_URL");
  const env = {
    MONGODB_URL: url,
    MONGODB_DATABASE: database,
    NATS_URL: engineUrl("TEST_NATS_URL"),
    KEY_PEPPER: pepper,
    TLS: "off",
    LOG_LEVEL: "silent",
    // Holders that send no heartbeats live as long as their test.
    HOLDER_LEASE_MS: "600000",
    ...settings,
  };
  const connect = () => createConnection(url, { dbName: database }).asPromise();
  return {
    env,
    async tamper(collection, filter, change) {
      const connection = await connect();
      const { matchedCount } = await connection.collection(collection).updateOne(filter, change);
      await connection.close();
      if (matchedCount !== 1) throw new Error(`no document in ${collection} matches`);
    },
    async [Symbol.asyncDispose]() {
      const connection = await connect();
      await connection.dropDatabase();
      await connection.close();
    },
  };
}

/** A catalogue file in a folder of its own. */
export async function catalogFile(content: string): Promise<{ readonly path: string } & AsyncDisposable> {
  const dir = await mkdtempDisposable(join(tmpdir(), "catalog-"));
  const path = join(dir.path, "catalog.yaml");
  await writeFile(path, content);
  return { path, [Symbol.asyncDispose]: () => dir.remove() };
}

export interface Clients extends Disposable {
  readonly accounts: RpcClient<AccountServiceServer>;
  readonly budgets: RpcClient<BudgetServiceServer>;
  readonly envelopes: RpcClient<EnvelopeServiceServer>;
  readonly keys: RpcClient<KeyServiceServer>;
  readonly grants: RpcClient<GrantServiceServer>;
  readonly ledger: RpcClient<LedgerServiceServer>;
  readonly limits: RpcClient<LimitServiceServer>;
}

export function connectClients(port: number): Clients {
  const address = `127.0.0.1:${port}`;
  const accounts = createRpcClient<AccountServiceServer>(AccountServiceService, address, insecure, patient);
  const budgets = createRpcClient<BudgetServiceServer>(BudgetServiceService, address, insecure, patient);
  const envelopes = createRpcClient<EnvelopeServiceServer>(EnvelopeServiceService, address, insecure, patient);
  const keys = createRpcClient<KeyServiceServer>(KeyServiceService, address, insecure, patient);
  const grants = createRpcClient<GrantServiceServer>(GrantServiceService, address, insecure, patient);
  const ledger = createRpcClient<LedgerServiceServer>(LedgerServiceService, address, insecure, patient);
  const limits = createRpcClient<LimitServiceServer>(LimitServiceService, address, insecure, patient);
  return {
    accounts,
    budgets,
    envelopes,
    keys,
    grants,
    ledger,
    limits,
    [Symbol.dispose]: () => {
      for (const client of [accounts, budgets, envelopes, keys, grants, ledger, limits]) client[Symbol.dispose]();
    },
  };
}

/** Billing in this process, and clients that reach it over gRPC. */
export async function startBilling(
  env: NodeJS.ProcessEnv,
): Promise<Clients & AsyncDisposable & { adminPort: number; grpcPort: number }> {
  const service = await startService(env);
  const clients = connectClients(service.grpcPort);
  return {
    ...clients,
    adminPort: service.adminPort,
    grpcPort: service.grpcPort,
    async [Symbol.asyncDispose]() {
      clients[Symbol.dispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

async function spawnOnce(env: NodeJS.ProcessEnv): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(process.execPath, [new URL("../src/main.ts", import.meta.url).pathname], {
    env: { ...env, LOG_LEVEL: "info" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  return new Promise((resolve, reject) => {
    child.once("exit", () => reject(new Error("billing exited before it was up")));
    createInterface({ input: child.stdout }).on("line", (line) => {
      const { grpcPort } = JSON.parse(line) as { grpcPort?: number };
      if (grpcPort !== undefined) resolve({ child, port: grpcPort });
    });
  });
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

/**
 * Looks one key up. @throws {GatewayError} `not_found`, which is how the router treats an empty
 * response
 */
export async function resolveKey(
  clients: Pick<Clients, "keys">,
  request: ResolveKeyRequest,
  options?: CallOptions,
): Promise<ResolveKeyResponse> {
  const [found] = (await clients.keys.resolveKeys({ keys: [request] }, options)).keys;
  if (found?.caller === undefined) throw new GatewayError("not_found");
  return found;
}

/** Billing in a process of its own, on a fixed port. */
export interface BillingProcess extends AsyncDisposable {
  readonly port: number;
  /** Kills it without warning and starts it again. */
  restart(): Promise<void>;
}

export async function spawnBilling(env: NodeJS.ProcessEnv): Promise<BillingProcess> {
  let { child, port } = await spawnOnce(env);
  return {
    port,
    async restart() {
      await kill(child);
      ({ child } = await spawnOnce({ ...env, GRPC_PORT: String(port) }));
    },
    [Symbol.asyncDispose]: () => kill(child),
  };
}

export async function fund(clients: Clients, amount: bigint, id = newId("acct")): Promise<string> {
  await clients.accounts.createAccount({ id, name: "test" });
  await clients.accounts.topUp({ accountId: id, amountNanoUsd: amount, reference: newId("ref"), note: "" });
  return id;
}

/**
 * Begins a transaction as Acquire does, which reads what limits a grant and then writes the account,
 * and makes a change in between: the write fails with a conflict.
 */
export async function assertConflictsWithGrant(
  { env }: Scratch,
  read: { readonly collection: "budgets" | "keys"; readonly id: string; readonly accountId: string },
  change: () => Promise<unknown>,
): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const connection = createConnection(env["MONGODB_URL"]!, { dbName: env["MONGODB_DATABASE"]! });
  stack.defer(() => connection.close());
  await connection.asPromise();
  const session = await connection.startSession();
  session.startTransaction({ readConcern: "snapshot", writeConcern: { w: "majority" } });
  await connection.collection(read.collection).findOne({ _id: read.id as never }, { session });
  await change();
  const issued = connection
    .collection("accounts")
    .updateOne({ _id: read.accountId as never }, { $inc: { seq: 1 } }, { session });
  await assert.rejects(issued, /conflict/i);
  await session.abortTransaction();
  await session.endSession();
}

export function usage(partial: Partial<UsageEvent>): UsageEvent {
  return UsageEvent.fromPartial({
    requestId: newId("req"),
    keyId: "key_test",
    holderId: "holder_test",
    operation: "chat.completions",
    model: "test-model",
    upstream: "test",
    upstreamModel: "test-model",
    startedAtMs: 1_700_000_000_000n,
    endedAtMs: 1_700_000_001_000n,
    outcome: Outcome.COMPLETED,
    pricing: Pricing.EXACT,
    units: [
      { name: "input_tokens", quantity: 12n },
      { name: "output_tokens", quantity: 34n },
    ],
    priceVersion: "v1",
    rawUsage: Buffer.from('{"prompt_tokens":12,"completion_tokens":34}'),
    attempts: 1,
    status: 200,
    stream: true,
    ...partial,
  });
}

export interface AcquireFields {
  holderId: string;
  accountId: string;
  needNanoUsd: bigint;
  wantNanoUsd?: bigint;
  requestId?: string;
  taskUntilMs?: bigint;
  keyId?: string;
  budgetIds?: string[];
}

export const acquireFields = (request: AcquireFields) => ({
  wantNanoUsd: 0n,
  requestId: newId("acq"),
  taskUntilMs: 0n,
  budgetIds: [] as string[],
  keyId: "",
  ...request,
});

/** The audit's violations: empty when the books are exact. */
export async function faults(clients: Clients): Promise<string[]> {
  return (await clients.ledger.audit({}, { timeoutMs: 60_000 })).violations;
}
