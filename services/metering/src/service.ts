import { refusalBatch, refusalSubjects } from "@uag/contract/messages/refusals";
import { maxAccountsNamed, usageApplied, usageAppliedSubject } from "@uag/contract/messages/usage-applied";
import { mongoCheck } from "@uag/mongo/connect";
import { type DatabaseClock, openDatabaseClock } from "@uag/mongo/database-clock";
import { startLeased } from "@uag/mongo/lease";
import { refuseLongSearch } from "@uag/mongo/long-search";
import { toStoreError } from "@uag/mongo/store-error";
import { type AccountServiceServer, AccountServiceService } from "@uag/proto/billing/v1/accounts.ts";
import { type BudgetServiceServer, BudgetServiceService } from "@uag/proto/billing/v1/budgets.ts";
import { type KeyServiceServer, KeyServiceService } from "@uag/proto/billing/v1/keys.ts";
import { type LedgerServiceServer, LedgerServiceService } from "@uag/proto/billing/v1/ledger.ts";
import { type UsageAdminServiceServer, UsageAdminServiceService } from "@uag/proto/metering/v1/admin.ts";
import { type MeteringServiceServer, MeteringServiceService } from "@uag/proto/metering/v1/metering.ts";
import { type RefusalServiceServer, RefusalServiceService } from "@uag/proto/metering/v1/refusals.ts";
import {
  type NotificationServiceServer,
  NotificationServiceService,
} from "@uag/proto/notifications/v1/notifications.ts";
import { announceStatus } from "@uag/runtime/announce-status";
import { openArchiveStore } from "@uag/runtime/archive/settings";
import type { BatchKey } from "@uag/runtime/batch-mac";
import { type Bus, connectBus } from "@uag/runtime/bus";
import { ConfigError, readConfig } from "@uag/runtime/config";
import { startAdminServer } from "@uag/runtime/health";
import { newId } from "@uag/runtime/ids";
import { createLogger, type Logger } from "@uag/runtime/log";
import { createMetrics } from "@uag/runtime/metrics";
import { createRpcClient } from "@uag/runtime/rpc/client";
import { type Identity, openIdentity } from "@uag/runtime/rpc/identity";
import { type RpcService, serveRpc, unaryService } from "@uag/runtime/rpc/server";
import { openTracing } from "@uag/runtime/tracing/tracing";
import { AlertMonitor } from "./alerts/monitor.ts";
import { AlertStore } from "./alerts/store.ts";
import { type ApplyOptions, newSteps } from "./apply/apply.ts";
import { KeyUse } from "./apply/key-use.ts";
import { storeRefusals } from "./apply/store-refusals.ts";
import { type Archive, archiveDue, archiverLease } from "./archive/archive.ts";
import { type MeteringConfig, schema } from "./config.ts";
import { createEvents, type MeteringEvents } from "./events.ts";
import { alertService } from "./rpc/alerts.ts";
import { applyRepairs } from "./rpc/apply-repairs.ts";
import { archiveMonth, listMonths, verifyMonth } from "./rpc/archive.ts";
import { confirmApplied } from "./rpc/confirm-applied.ts";
import { listDeadLetters, priceDeadLetter, repairDeadLetter } from "./rpc/dead-letters.ts";
import { findEvents } from "./rpc/find-events.ts";
import { getEvent } from "./rpc/get-event.ts";
import { exportEvents, listEvents } from "./rpc/list-events.ts";
import { listKeyUse } from "./rpc/list-key-use.ts";
import { querySeries } from "./rpc/query-series.ts";
import { queryUsage } from "./rpc/query-usage.ts";
import { listRefusals, queryRefusals } from "./rpc/refusals.ts";
import { sumSearch } from "./rpc/search-limit.ts";
import { sumLastMonth } from "./rpc/sum-last-month.ts";
import { connectStore, openStore, type Store } from "./store/store.ts";
import { Inbox } from "./stream/inbox.ts";
import { Membership } from "./stream/membership.ts";
import { StreamState } from "./stream/stream-state.ts";
import { streamNames } from "./stream/topology.ts";
import { work } from "./stream/worker.ts";

const monthMs = 31 * 86_400_000;

export interface MeteringService extends AsyncDisposable {
  readonly grpcPort: number;
  readonly adminPort: number;
}

function rpcServices(
  { apply, archive }: { apply: ApplyOptions; archive: Archive },
  { stream, clock, log }: { stream: StreamState; clock: DatabaseClock; log: Logger },
): RpcService[] {
  const { store } = apply;
  return [
    unaryService<MeteringServiceServer>(
      MeteringServiceService,
      {
        confirmApplied: (request) => confirmApplied({ store, stream }, request),
        queryUsage: (request) => queryUsage(store, request, clock.now()),
        listEvents: (request) => listEvents(store, request, clock.now()),
        findEvents: (request) => findEvents(store, request),
        getEvent: (request) => getEvent(store, request),
        querySeries: (request) => querySeries(store, request, clock.now()).catch(refuseLongSearch(sumSearch)),
        listKeyUse: (request) =>
          listKeyUse(store, request, clock.now()).catch((error: unknown) => {
            throw toStoreError(error);
          }),
        sumLastMonth: () => sumLastMonth(store, clock.now()),
      },
      log,
    ),
    unaryService<RefusalServiceServer>(
      RefusalServiceService,
      {
        queryRefusals: (request) => queryRefusals(store, request, clock.now()).catch(refuseLongSearch(sumSearch)),
        listRefusals: (request) => listRefusals(store, request),
      },
      log,
    ),
    unaryService<UsageAdminServiceServer>(
      UsageAdminServiceService,
      {
        exportEvents: (request) => exportEvents(store, request, clock.now()),
        applyRepairs: (request) => applyRepairs(store, request),
        listDeadLetters: (request) => listDeadLetters(store, request),
        priceDeadLetter: (request) => priceDeadLetter(store, request),
        repairDeadLetter: (request) => repairDeadLetter(apply, request),
        listMonths: () => listMonths(archive),
        archiveMonth: (request) => archiveMonth(archive, request),
        verifyMonth: (request) => verifyMonth(archive, request),
      },
      log,
    ),
  ];
}

/** The keys of trusted publishers; undefined when no signature is required. */
function batchKeysOf({ TLS, USAGE_MAC_KEYS: keys }: MeteringConfig): BatchKey[] | undefined {
  if (keys === undefined && TLS === "off") return undefined;
  if (keys === undefined) throw new ConfigError("USAGE_MAC_KEYS must be set to verify the services' usage");
  return keys.map((text) => {
    const [publisher = "", hex = ""] = text.split(":");
    return { publisher, key: Buffer.from(hex, "hex") };
  });
}

/** Sets up archiving on request, and periodic archiving if a store is configured. */
function openArchive(
  config: MeteringConfig,
  { store, events, clock }: Pick<ApplyOptions, "store" | "events"> & { clock: DatabaseClock },
  stack: AsyncDisposableStack,
): Archive {
  const objects = openArchiveStore(config);
  const archive = { store, objects, clock, keepMonths: config.USAGE_KEEP_MONTHS, events };
  if (objects !== undefined) {
    stack.use(objects);
    const work = (keep: () => Promise<void>) => archiveDue(archive, keep);
    const often = { everyMs: config.ARCHIVE_EVERY_MS, work, failed: events.archiveFailed };
    stack.use(startLeased(archiverLease(store), often));
  }
  return archive;
}

/** Spend alerts, if a service that sends them is configured. */
async function openAlerts(
  { NOTIFICATIONS_ADDR: address, BILLING_ADDR: billing, ALERTS_EVERY_MS: everyMs }: MeteringConfig,
  opened: { store: Store; clock: DatabaseClock; events: MeteringEvents; identity: Identity; log: Logger },
  stack: AsyncDisposableStack,
): Promise<RpcService[]> {
  if (address === undefined) return [];
  const { store, clock, events, identity, log } = opened;
  const notifications = stack.use(
    createRpcClient<NotificationServiceServer>(NotificationServiceService, address, identity),
  );
  const alerts = new AlertStore(store.connection, {
    clock,
    requestConfirmations: (request) => notifications.requestConfirmations(request),
  });
  await alerts.open();
  const accounts = stack.use(createRpcClient<AccountServiceServer>(AccountServiceService, billing, identity));
  const keys = stack.use(createRpcClient<KeyServiceServer>(KeyServiceService, billing, identity));
  const budgets = stack.use(createRpcClient<BudgetServiceServer>(BudgetServiceService, billing, identity));
  const sources = { store, accounts, keys, budgets };
  stack.use(new AlertMonitor({ sources, alerts, notifications, events, everyMs, clock }));
  return [alertService({ sources, alerts, notifications, clock, log })];
}

/**
 * Announces new usage to its displays. No process waits for it, and nothing is lost without
 * it.
 */
function announcer({ connection }: Bus): (accountIds: ReadonlySet<string>) => void {
  return (accountIds) => {
    const message = usageApplied.encode({ account_ids: [...accountIds].slice(0, maxAccountsNamed) });
    if (!connection.isClosed()) connection.publish(usageAppliedSubject, message);
  };
}

/** Stores the refusals that services report: best effort, each message by one metering process. */
function followRefusals(
  bus: Bus,
  { store, events, queue }: { store: Store; events: MeteringEvents; queue: string },
): void {
  bus.subscribe(
    refusalSubjects.all,
    (data) => {
      const batch = refusalBatch.decode(data);
      if (batch === undefined) events.refusalsLost(new Error("the message does not match its schema"));
      else storeRefusals(store, batch).catch(events.refusalsLost);
    },
    { queue },
  );
}

/** Starts metering as configured by the environment; resolves when it serves. */
export async function startService(env: NodeJS.ProcessEnv = process.env): Promise<MeteringService> {
  const config = readConfig(schema, env);
  await using stack = new AsyncDisposableStack();
  const log = createLogger({ service: "metering", level: config.LOG_LEVEL });
  const metrics = createMetrics("metering");
  const identity = openIdentity(config, log);
  const events = createEvents(log, metrics);
  const { MONGODB_URL: url, MONGODB_DATABASE: database } = config;
  const connection = await connectStore({ url, database });
  stack.defer(() => connection.close());
  const store = await openStore(connection, { keepMonths: config.USAGE_KEEP_MONTHS });
  const clock = stack.use(await openDatabaseClock(connection, { log, metrics }));
  const bus = stack.use(await connectBus({ settings: config, name: "metering", log }));
  const billing = stack.use(createRpcClient<LedgerServiceServer>(LedgerServiceService, config.BILLING_ADDR, identity));
  const names = streamNames(config.STREAM_PREFIX);
  const topology = {
    names,
    replicas: config.STREAM_REPLICAS,
    maxBytes: config.STREAM_MAX_BYTES,
    maxAgeHours: config.STREAM_MAX_AGE_HOURS,
    ackWaitMs: config.ACK_WAIT_MS,
    made: events.streamMade,
  };
  const stop = new AbortController();
  const workingMs = config.ACK_WAIT_MS / 3;
  const inbox = new Inbox({ bus, topology, log, workingMs });
  // Half the retention is a margin on both sides: late messages are hours late, not weeks.
  const expiredBeforeMs = (): number => clock.now() - (config.USAGE_KEEP_MONTHS * monthMs) / 2;
  const batchKeys = batchKeysOf(config);
  const parts = { store, billing, clock, events, expiredBeforeMs, announce: announcer(bus) };
  const tracing = await openTracing("metering", config, log);
  if (tracing !== undefined) stack.use(tracing);
  const apply: ApplyOptions = { ...parts, tracing, keyUse: new KeyUse(store), steps: newSteps() };
  const dead = { deadSubject: names.deadSubject, maxDeliver: config.MAX_DELIVER };
  const options = { ...dead, inbox, batchKeys, bus, apply, log, workingMs };
  const working = work(options, stop.signal);
  const owns = (partitions: readonly number[]): void => inbox.own(partitions);
  const membership = new Membership({ id: newId("meter"), store, events, owns });
  stack.defer(async () => {
    stop.abort();
    await membership[Symbol.asyncDispose]();
    await inbox[Symbol.asyncDispose]();
    await working;
    await bus.connection.flush().catch(() => undefined);
  });
  followRefusals(bus, { store, events, queue: `${config.STREAM_PREFIX}refusals` });
  const stream = new StreamState(bus.connection, names.usage);
  const alerting = await openAlerts(config, { store, clock, events, identity, log }, stack);
  const archive = openArchive(config, { store, events, clock }, stack);
  const services = [...rpcServices({ apply, archive }, { stream, clock, log }), ...alerting];
  const server = stack.use(await serveRpc({ host: config.HOST, port: config.GRPC_PORT, identity, services }));
  const billingCheck = async () => {
    await billing.settle({ events: [] }, { timeoutMs: 2_000 });
    return { ok: true as const };
  };
  const checks = { mongodb: mongoCheck(connection), nats: bus.check, billing: billingCheck, clock: clock.check };
  const admin = stack.use(await startAdminServer({ host: config.HOST, port: config.ADMIN_PORT, metrics, checks }));
  const waiting = metrics.gauge("uag_stream_messages");
  const report = async () => {
    waiting.set(await stream.messages());
    return { figures: await metrics.read(["uag_stream_messages", "uag_usage_partitions"]) };
  };
  stack.use(announceStatus({ bus, service: "metering", log, report }));
  log.info({ grpcPort: server.port, adminPort: admin.port }, "metering is up");
  const running = stack.move();
  return { grpcPort: server.port, adminPort: admin.port, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
