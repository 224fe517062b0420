import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { connectBus } from "@uag/kit/bus.ts";
import { randomText } from "@uag/kit/ids.ts";
import { createLogger } from "@uag/kit/log.ts";
import { createMetrics } from "@uag/kit/metrics.ts";
import { createRpcClient, type RpcClient } from "@uag/kit/rpc/client.ts";
import { insecure } from "@uag/kit/rpc/identity.ts";
import { type AccountServiceServer, AccountServiceService } from "@uag/proto/billing/v1/accounts.ts";
import { type LedgerServiceServer, LedgerServiceService } from "@uag/proto/billing/v1/ledger.ts";
import { type MeteringServiceServer, MeteringServiceService } from "@uag/proto/metering/v1/metering.ts";
import { Outcome, Pricing, SettlementRule, type UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { type Connection, createConnection } from "mongoose";
import { createAdmission } from "../src/admission.ts";
import type { AdmissionOptions } from "../src/options.ts";
import type { AdmissionOfProcess, AdmitRequest, AdmitTask, Settlement } from "../src/types.ts";

export function engineUrl(name: "TEST_MONGODB_URL" | "TEST_NATS_URL"): string {
  const url = process.env[name];
  if (url) return url;
  throw new Error(`Set ${name} to a running server (MongoDB as a replica set), or run "npm test", which starts both.`);
}

const services = join(import.meta.dirname, "../..");
/** Tests' calls have generous timeouts, for slow machines. */
const patient = { timeoutMs: 60_000 };

/** A service's own main.ts as a process that can be killed and restarted on the same port. */
export class Child implements AsyncDisposable {
  readonly #path: string;
  readonly #env: Record<string, string>;
  #process: ChildProcess | undefined;
  port = 0;
  adminPort = 0;

  constructor(service: string, env: Record<string, string>) {
    this.#path = join(services, service, "src/main.ts");
    this.#env = env;
  }

  async start(): Promise<this> {
    const env = { ...process.env, TLS: "off", LOG_LEVEL: "info", ...this.#env, GRPC_PORT: String(this.port) };
    const child = spawn(process.execPath, [this.#path], { env, stdio: ["ignore", "pipe", "inherit"] });
    this.#process = child;
    const up = Promise.withResolvers<number>();
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => {
      const entry = JSON.parse(line) as { grpcPort?: number; adminPort?: number; level: number };
      if (entry.adminPort) this.adminPort = entry.adminPort;
      if (entry.grpcPort) up.resolve(entry.grpcPort);
      if (process.env["TEST_VERBOSE"]) process.stderr.write(`${line}\n`);
    });
    child.once("exit", (code) => up.reject(new Error(`${this.#path} ended with ${code}`)));
    this.port = await up.promise;
    return this;
  }

  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
  }

  [Symbol.asyncDispose](): Promise<void> {
    // Stops as an operator would: a transaction left open by a killed process keeps its locks for a
    // minute.
    return this.kill("SIGTERM");
  }
}

export interface House extends AsyncDisposable {
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
export async function startHouse(billingEnv: Record<string, string> = {}): Promise<House> {
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
    async fence(holderIds, since = new Date()) {
      const connection = await createConnection(mongodb, { dbName: `${prefix}b` }).asPromise();
      const set = { state: "orphaned", orphanedAt: since };
      await connection
        .collection<{ _id: string }>("holders")
        .updateMany({ _id: { $in: [...holderIds] } }, { $set: set });
      await connection.close();
    },
    async events(accountId) {
      const found: UsageEvent[] = [];
      const names = { accountId, keyId: "", model: "", operation: "", fromMs: 0n, untilMs: 0n };
      for (let cursor = ""; ; ) {
        const page = await usage.listEvents({ filter: names, page: { limit: 1_000, cursor } });
        found.push(...page.events);
        cursor = page.nextCursor;
        if (cursor === "") return found;
      }
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Connects to the billing database of a {@link House}. */
export function billingDatabase({ prefix }: Pick<House, "prefix">): Promise<Connection> {
  return createConnection(engineUrl("TEST_MONGODB_URL"), { dbName: `${prefix}b`, useBigInt64: true }).asPromise();
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

export interface Spawned extends Disposable {
  readonly child: ChildProcess;
  readonly lines: string[];
}

/** A replica in a process of its own, under load until it is killed. */
export function spawnReplica(house: House, account: string, name: string): Spawned {
  const child = spawn(process.execPath, [join(import.meta.dirname, "replica-child.ts"), account, name], {
    env: { ...process.env, ...house.env, DISK_FAULTS: "" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: string[] = [];
  let rest = "";
  child.stdout?.on("data", (data: Buffer) => {
    const parts = (rest + data.toString()).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
  });
  return { child, lines, [Symbol.dispose]: () => child.kill("SIGKILL") };
}

/** A replica in this process. */
export async function replica(
  env: Record<string, string>,
  more: Partial<AdmissionOptions> = {},
): Promise<AdmissionOfProcess & { text(): Promise<string> }> {
  const log = createLogger({ service: "replica", level: process.env["TEST_VERBOSE"] ? "debug" : "silent" });
  const bus = await connectBus({ settings: { NATS_URL: env["NATS"] as string }, name: "replica", log });
  const metrics = createMetrics("replica");
  const admission = await createAdmission({
    identity: insecure,
    service: "test",
    billing: { address: env["BILLING"] as string },
    metering: { address: env["METERING"] as string },
    bus,
    journalDir: env["JOURNAL_DIR"] as string,
    streamPrefix: env["STREAM_PREFIX"] as string,
    log,
    metrics,
    ...more,
  });
  return {
    admit: (request) => admission.admit(request),
    admitFree: (request) => admission.admitFree(request),
    admitTask: (task) => admission.admitTask(task),
    findTaskGrant: (task) => admission.findTaskGrant(task),
    settleTask: (event) => admission.settleTask(event),
    check: admission.check,
    alive: admission.alive,
    text: () => metrics.registry.metrics(),
    async [Symbol.asyncDispose]() {
      await admission[Symbol.asyncDispose]();
      await bus[Symbol.asyncDispose]();
    },
  };
}

export function request(accountId: string, requestId: string, holdNanoUsd: bigint): AdmitRequest {
  const caller = { keyId: `key_${accountId}`, accountId, models: [], expiresAtMs: 0n, limits: undefined, version: 1n };
  return {
    requestId,
    caller,
    operation: "chat.completions",
    model: "m",
    holdNanoUsd,
    tokens: 10,
    priceVersion: "v1",
    stream: false,
  };
}

/** A task of the same shape. */
export function taskOf(accountId: string, requestId: string, holdNanoUsd: bigint): AdmitTask {
  const { stream: _, ...requested } = request(accountId, requestId, holdNanoUsd);
  return { ...requested, operation: "videos.generations", untilMs: Date.now() + 3_600_000 };
}

export function taskBill(requested: AdmitTask, grantId: string, cost: bigint): UsageEvent {
  return {
    ...settlement(cost),
    rawUsage: Buffer.alloc(0),
    holderId: "",
    priceVersion: "v1",
    stream: false,
    outcome: cost === 0n ? Outcome.FAILED : Outcome.COMPLETED,
    requestId: requested.requestId,
    accountId: requested.caller.accountId,
    keyId: requested.caller.keyId,
    grantId,
    operation: requested.operation,
    model: requested.model,
    holdNanoUsd: requested.holdNanoUsd,
    startedAtMs: BigInt(Date.now()),
    endedAtMs: BigInt(Date.now()),
  };
}

export function settlement(costNanoUsd: bigint): Settlement {
  return {
    settlementRule: SettlementRule.COMPLETED,
    outcome: Outcome.COMPLETED,
    pricing: Pricing.EXACT,
    costNanoUsd,
    attempts: 1,
    failedAttempts: [],
    status: 200,
    units: [{ name: "input_tokens", quantity: costNanoUsd }],
    upstream: "sim",
    upstreamModel: "m",
    rawUsage: Buffer.from("{}"),
  };
}
