import { openCatalog } from "@uag/catalog/store";
import { maxFetchingAccounts } from "@uag/contract/messages/status";
import { maxBodyBytesOfKind, type ServiceName } from "@uag/contract/routes";
import { createLinkServer } from "@uag/link/server";
import { proxiesOf } from "@uag/providers/http/proxies";
import { announceStatus } from "@uag/runtime/announce-status";
import type { BatchKey } from "@uag/runtime/batch-mac";
import { type Bus, connectBus } from "@uag/runtime/bus";
import { ConfigError } from "@uag/runtime/config";
import { type HealthCheck, startAdminServer } from "@uag/runtime/health";
import { createLogger, type Logger } from "@uag/runtime/log";
import { createMetrics, type Metrics } from "@uag/runtime/metrics";
import { type Identity, openIdentity } from "@uag/runtime/rpc/identity";
import type { RpcService } from "@uag/runtime/rpc/server";
import { openTracing } from "@uag/runtime/tracing/tracing";
import { bufferLimitsOf } from "@uag/untrusted/memory-limit";
import { createAdmission } from "@uag/usage/admission";
import type { AdmissionOfProcess, TaskAdmission } from "@uag/usage/types";
import { followPrices, type PriceFollower } from "./accepted-prices.ts";
import { type CapabilityContext, createContext } from "./context.ts";
import { onceByKey } from "./idempotency/open.ts";
import { type LinkListener, openLinkListener } from "./link-listener.ts";
import type { OperationsOf } from "./operation/operation.ts";
import type { CapabilitySettings } from "./settings.ts";

/**
 * What a service serves, by operation name in the router's table, and its additional health checks.
 */
export interface Capability<S extends ServiceName> {
  readonly operations: OperationsOf<S>;
  readonly checks?: Readonly<Record<string, HealthCheck>>;
  /** Called before the service stops and waits for requests in flight. */
  leaving?(): void;
  /** gRPC services next to the link, on the same port. */
  readonly services?: readonly RpcService[];
}

/** The largest body is a form of 64 MiB. */
const leastOwnerBytes = maxBodyBytesOfKind("multipart");

/** What {@link startCapability} starts. */
export interface CapabilityOptions<S extends ServiceName> {
  /** The service's name in logs, metrics and journals. */
  readonly name: S;
  readonly settings: CapabilitySettings;
  readonly env: NodeJS.ProcessEnv;
  /** URLs that each account may have it fetch per hour, in services that fetch URLs in requests. */
  readonly urlFetchesPerHour?: number;
  /**
   * Builds the service on its context; adds what it opens to `resources`, which are closed after
   * the last request.
   */
  build(
    context: CapabilityContext,
    resources: AsyncDisposableStack,
    tasks: TaskAdmission,
    identity: Identity,
  ): Promise<Capability<S>> | Capability<S>;
}

/** A running capability service. Disposing drains it. */
export interface CapabilityService extends AsyncDisposable {
  readonly grpcPort: number;
  readonly adminPort: number;
  /** How long disposing waits for requests in flight, milliseconds. */
  readonly drainMs: number;
}

/**
 * Starts a capability service; resolves when it serves. Disposing finishes requests in flight,
 * bills included.
 */
export async function startCapability<S extends ServiceName>(
  options: CapabilityOptions<S>,
): Promise<CapabilityService> {
  const { name, settings } = options;
  const log = createLogger({ service: name, level: settings.LOG_LEVEL });
  await using started = new AsyncDisposableStack();
  const metrics = createMetrics(name);
  const identity = openIdentity(settings, log);
  const bus = started.use(await connectBus({ settings, name, log }));
  const { context, admission, prices } = await openContext(options, { log, metrics, bus, identity, started });
  const built = await options.build(context, started, admission, identity);
  const { operations: defined, checks = {}, services = [] } = built;
  const operations = onceByKey(defined, { settings, context, limits: admission, identity, started });
  const link = createLinkServer({ operations, maxExchanges: settings.MAX_EXCHANGES, log: linkLog(log) });
  const listeners: LinkListener[] = [];
  const isOpen: HealthCheck = async () =>
    listeners.length > 0 && !link.status().draining
      ? { ok: true }
      : { ok: false, reason: "not open, or about to stop" };
  const allChecks = { link: isOpen, nats: bus.check, admission: admission.check, prices: prices.check, ...checks };
  const alive = { admission: admission.alive };
  const { HOST: host, ADMIN_PORT, GRPC_PORT, DRAIN_MS } = settings;
  const admin = started.use(await startAdminServer({ host, port: ADMIN_PORT, metrics, checks: allChecks, alive }));
  const listener = started.use(
    await openLinkListener({ link, services, identity, host, port: GRPC_PORT, drainMs: DRAIN_MS }),
  );
  listeners.push(listener);
  started.defer(() => built.leaving?.());
  const report = async () => ({
    ...(await statusOf(context, metrics)),
    ...(options.urlFetchesPerHour !== undefined && { url_fetches: urlFetchesOf(context) }),
  });
  started.use(announceStatus({ bus, service: name, log, report }));
  log.info({ grpcPort: listener.port, adminPort: admin.port }, `${name} is up`);
  const running = started.move();
  return {
    grpcPort: listener.port,
    adminPort: admin.port,
    drainMs: DRAIN_MS,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** The figures operators watch in a service that holds money and calls providers. */
const watched = [
  "uag_journal_bytes",
  "uag_publish_lag_seconds",
  "uag_unconfirmed_events",
  "uag_open_requests",
  "uag_grants",
  "uag_waiting_journals",
  "uag_holder_open",
  "uag_drains",
  "uag_buffered_bytes",
] as const;

async function statusOf({ health, catalog, aboveHold }: CapabilityContext, metrics: Metrics) {
  const upstreams = health.seen().map(({ cooldownForMs, ...seen }) => ({ ...seen, rests_for_ms: cooldownForMs }));
  const unserved = [...catalog.current.unserved];
  return { figures: await metrics.read(watched), upstreams, unserved, above_hold: aboveHold.status() };
}

/** The use of the budget of fetched URLs. */
function urlFetchesOf({ fetchBudget }: CapabilityContext) {
  const accounts = fetchBudget.mostUsed(maxFetchingAccounts).map(({ owner, used }) => ({ account_id: owner, used }));
  return { per_hour: fetchBudget.perHour, accounts };
}

function batchKeyOf(publisher: string, { TLS, USAGE_MAC_KEY: hex }: CapabilitySettings): BatchKey | undefined {
  if (hex !== undefined) return { publisher, key: Buffer.from(hex, "hex") };
  if (TLS === "off") return undefined;
  throw new ConfigError("USAGE_MAC_KEY must be set: metering rejects unsigned usage");
}

async function openContext(
  {
    name,
    settings,
    env,
    urlFetchesPerHour,
  }: Pick<CapabilityOptions<ServiceName>, "name" | "settings" | "env" | "urlFetchesPerHour">,
  {
    log,
    metrics,
    bus,
    identity,
    started,
  }: { log: Logger; metrics: Metrics; bus: Bus; identity: Identity; started: AsyncDisposableStack },
): Promise<{ context: CapabilityContext; admission: AdmissionOfProcess; prices: PriceFollower }> {
  const catalog = started.use(await openCatalog({ file: settings.CATALOG_FILE, env, log }));
  const prices = started.use(followPrices({ catalog, address: settings.BILLING_ADDR, identity, log }));
  const opened = started.use(
    await createAdmission({
      service: name,
      billing: { address: settings.BILLING_ADDR },
      metering: { address: settings.METERING_ADDR },
      identity,
      bus,
      batchKey: batchKeyOf(name, settings),
      journalDir: settings.JOURNAL_DIR,
      sharedFileSystem: settings.JOURNAL_SHARED_FS,
      log,
      metrics,
    }),
  );
  const admission = prices.guard(opened);
  const { EGRESS_ALLOW: egressAllow, BUFFER_MEMORY_BYTES: totalBytes, BUFFER_ACCOUNT_BYTES: ownerBytes } = settings;
  const bufferLimits = bufferLimitsOf({ service: name, totalBytes, ownerBytes, leastOwnerBytes, log });
  const proxies = proxiesOf(env);
  const tracing = await openTracing(name, settings, log);
  if (tracing !== undefined) started.use(tracing);
  const context = started.use(
    createContext({
      catalog,
      admission,
      log,
      metrics,
      egressAllow,
      bufferLimits,
      proxies,
      tracing,
      ...(urlFetchesPerHour !== undefined && { urlFetchesPerHour }),
    }),
  );
  return { context, admission, prices };
}

function linkLog(log: Logger): (event: string, detail: { error: unknown; requestId?: string }) => void {
  return (event, { error, requestId }) => log.error({ err: error, request_id: requestId }, event);
}
