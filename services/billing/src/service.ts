import { connectBooks } from "@uag/ledger/documents/connection";
import { openStore, type Store } from "@uag/ledger/documents/store";
import { createUnblocker } from "@uag/mongo/abandoned-transactions";
import { mongoCheck } from "@uag/mongo/connect";
import { openDatabaseClock } from "@uag/mongo/database-clock";
import { startLeased } from "@uag/mongo/lease";
import type { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { announceStatus } from "@uag/runtime/announce-status";
import { openArchiveStore } from "@uag/runtime/archive/settings";
import { connectBus } from "@uag/runtime/bus";
import { KeyedMutex } from "@uag/runtime/concurrency/keyed-mutex";
import { readConfig } from "@uag/runtime/config";
import { startAdminServer } from "@uag/runtime/health";
import { keyringOf } from "@uag/runtime/keyring";
import { createLogger, type Logger } from "@uag/runtime/log";
import { createMetrics, type Metrics } from "@uag/runtime/metrics";
import { openIdentity } from "@uag/runtime/rpc/identity";
import { serveRpc } from "@uag/runtime/rpc/server";
import { openTracing } from "@uag/runtime/tracing/tracing";
import type { z } from "zod";
import { archiveDue, archiverLease } from "./archive/archive.ts";
import { inLine } from "./audit/in-line.ts";
import { seedAdminTokens } from "./audit/seed-token.ts";
import type { Billing, Settings } from "./billing.ts";
import { CredentialBox } from "./catalog/credential-box.ts";
import { startDrain } from "./catalog/drained.ts";
import { openAll } from "./catalog/open-all.ts";
import { schema } from "./config.ts";
import { createEvents } from "./events.ts";
import { createFunds } from "./grants/funds.ts";
import { createRegister } from "./grants/holders.ts";
import { startPruning } from "./grants/prune.ts";
import { startReaper } from "./grants/reaper.ts";
import { createRecall } from "./grants/recall.ts";
import { createRefusals } from "./grants/refusals.ts";
import { createChangePool } from "./limits/change-pool.ts";
import { FetchBudget } from "./limits/fetch-budget.ts";
import { createLivenessGuard } from "./limits/liveness-guard.ts";
import { startLimitReaper } from "./limits/reaper.ts";
import { startPriceHistory } from "./repair/price-history.ts";
import { catalogOf, createPrices, createReadSource } from "./repair/prices.ts";
import { steadyMs } from "./rpc/renew.ts";
import { rpcServices } from "./services.ts";
import { createAccountQueue } from "./store/queue.ts";
import { createSequence } from "./store/sequence.ts";
import { commitToGrants } from "./store/settle-grants.ts";
import { transactionsAt } from "./store/transaction.ts";

export interface BillingService extends AsyncDisposable {
  readonly grpcPort: number;
  readonly adminPort: number;
}

function settingsOf(config: z.infer<typeof schema>): Settings {
  return {
    peppers: keyringOf(config.KEY_PEPPER, config.KEY_PEPPER_PREVIOUS),
    leaseMs: config.HOLDER_LEASE_MS,
    orphanGraceMs: config.ORPHAN_GRACE_MS,
    reapIntervalMs: config.REAP_INTERVAL_MS,
    recallWaitMs: config.RECALL_WAIT_MS,
    grantShare: BigInt(config.GRANT_SHARE),
    writeOffLimit: BigInt(config.WRITE_OFF_LIMIT_NANO_USD),
    fromGrants: config.SETTLE_FROM_GRANTS === "on",
    auditDatabase: config.AUDIT_DATABASE,
    egressAllow: config.EGRESS_ALLOW,
  };
}

type CatalogParts = Pick<Billing, "prices" | "readCatalog" | "readSource" | "credentials">;

async function openCatalog(store: Store, config: z.infer<typeof schema>): Promise<CatalogParts> {
  const { CREDENTIAL_KEY: key, CREDENTIAL_KEY_PREVIOUS: previous } = config;
  const credentials = new CredentialBox(key === undefined ? undefined : keyringOf(key, previous));
  await openAll(store, credentials);
  const readSource = createReadSource(store, config.CATALOG_FILE);
  const readCatalog = async () => catalogOf(await readSource());
  return { prices: createPrices(readCatalog), readCatalog, readSource, credentials };
}

/** Serializes calls: two at once may conflict on the same grants, and then one repeats its work. */
function inTurn<Q, A>(call: (request: Q) => Promise<A>): (request: Q) => Promise<A> {
  let last: Promise<unknown> = Promise.resolve();
  return (request) => {
    const next = last.then(
      () => call(request),
      () => call(request),
    );
    last = next;
    return next;
  };
}

/** Starts the background tasks that expire, reclaim, delete and archive. */
function startUpkeep(billing: Billing, config: z.infer<typeof schema>, stack: AsyncDisposableStack): void {
  const { store, events, limits, archive } = billing;
  stack.use(startPriceHistory(billing, config.CATALOG_FILE));
  if (config.CATALOG_FILE !== undefined) stack.use(startDrain(billing, config.PRUNE_INTERVAL_MS));
  stack.use(startReaper(billing));
  stack.use(startLimitReaper({ store, events, ...limits }));
  const pruning = {
    store,
    clock: billing.clock,
    auditDatabase: config.AUDIT_DATABASE,
    keepMs: config.GRANT_KEEP_MS,
    envelopeKeepMs: config.ENVELOPE_KEEP_DAYS * 86_400_000,
  };
  stack.use(startPruning(pruning, events, config.PRUNE_INTERVAL_MS));
  if (archive.objects === undefined) return;
  stack.use(archive.objects);
  const work = (keep: () => Promise<void>) => archiveDue(archive, keep);
  const often = { everyMs: config.ARCHIVE_EVERY_MS, work, failed: events.ledgerArchiveFailed };
  stack.use(startLeased(archiverLease(store), often));
}

async function openBooks(
  { MONGODB_URL: url, MONGODB_DATABASE: database }: z.infer<typeof schema>,
  reporting: { readonly log: Logger; readonly metrics: Metrics },
  stack: AsyncDisposableStack,
) {
  const connection = await connectBooks({ url, database });
  stack.defer(() => connection.close());
  const clock = stack.use(await openDatabaseClock(connection, reporting));
  return { connection, clock, store: await openStore(connection) };
}

/** Starts billing as configured by the environment; resolves when it serves. */
export async function startService(env: NodeJS.ProcessEnv = process.env): Promise<BillingService> {
  const config = readConfig(schema, env);
  const log = createLogger({ service: "billing", level: config.LOG_LEVEL });
  const metrics = createMetrics("billing");
  const identity = openIdentity(config, log);
  await using started = new AsyncDisposableStack();
  const { connection, store, clock } = await openBooks(config, { log, metrics }, started);
  const bus = started.use(await connectBus({ settings: config, name: "billing", log }));
  const events = createEvents(log, metrics);
  const funds = createFunds(store);
  const endAbandoned = createUnblocker(connection, "billing");
  const transactions = {
    onRetry: events.transactionRetried,
    onCommit: events.transactionCommitted,
    unblock: () => endAbandoned().then(events.transactionsEnded, events.unblockFailed),
  };
  const commits = { store, clock, ...transactions, sequence: createSequence() };
  const grantLocks = new KeyedMutex();
  const queue = createAccountQueue({ ...commits, grantLocks, onFunds: funds.notify });
  // Grants are finished after the settlement's response: no other process would do it soon.
  started.defer(() => queue.idle());
  const settings = settingsOf(config);
  const transact = inLine(transactionsAt(clock, { connection, ...transactions }));
  await seedAdminTokens({ store, transact, settings }, config);
  const limits = {
    changePool: createChangePool(store.limitPools),
    livenessGuard: started.use(createLivenessGuard(steadyMs)),
  };
  const billing: Billing = {
    store,
    clock,
    queue,
    settleFromGrants: inTurn((events: readonly UsageEvent[]) =>
      grantLocks.runExclusive(
        events.map(({ grantId }) => grantId),
        () => commitToGrants(commits, events),
      ),
    ),
    transact,
    ...(await openCatalog(store, config)),
    funds,
    refusals: createRefusals(store, settings.writeOffLimit),
    recall: createRecall(bus),
    register: createRegister(store, settings.leaseMs),
    limits,
    fetchBudget: new FetchBudget(store.fetchBudgets, config.URL_FETCHES_PER_HOUR),
    archive: { store, clock, objects: openArchiveStore(config), events },
    bus,
    events,
    settings,
  };
  startUpkeep(billing, config, started);
  const tracing = await openTracing("billing", config, log);
  if (tracing !== undefined) started.use(tracing);
  const services = rpcServices(billing, log, tracing);
  const rpc = started.use(await serveRpc({ host: config.HOST, port: config.GRPC_PORT, identity, services }));
  const checks = { mongodb: mongoCheck(connection), nats: bus.check, clock: clock.check };
  const admin = started.use(await startAdminServer({ host: config.HOST, port: config.ADMIN_PORT, metrics, checks }));
  started.use(announceStatus({ bus, service: "billing", log }));
  log.info({ grpcPort: rpc.port, adminPort: admin.port }, "billing is up");
  const running = started.move();
  return { grpcPort: rpc.port, adminPort: admin.port, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
