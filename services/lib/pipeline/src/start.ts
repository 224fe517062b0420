import { join } from "node:path";
import { type FollowedCatalog, openCatalog } from "@uag/catalog/store";
import { maxBodyBytesOfKind } from "@uag/contract/body-limits";
import { currentName } from "@uag/contract/former-operations";
import type { ServiceName } from "@uag/contract/routes";
import { createLinkServer } from "@uag/link/server";
import { proxiesOf } from "@uag/providers/http/proxies";
import { announceStatus } from "@uag/runtime/announce-status";
import type { BatchKey } from "@uag/runtime/batch-mac";
import { type Bus, connectBus } from "@uag/runtime/bus";
import { systemClock } from "@uag/runtime/clock";
import { ConfigError } from "@uag/runtime/config";
import { type HealthCheck, startAdminServer } from "@uag/runtime/health";
import { createLogger, type Logger } from "@uag/runtime/log";
import { createMetrics, type Metrics } from "@uag/runtime/metrics";
import { RefusalReport } from "@uag/runtime/refusals";
import { type Identity, openIdentity } from "@uag/runtime/rpc/identity";
import { openInferenceMetrics, openTracing } from "@uag/runtime/tracing/tracing";
import { bufferLimitsOf } from "@uag/untrusted/memory-limit";
import { createAdmission } from "@uag/usage/admission";
import { openFetchPermits } from "@uag/usage/fetches/fetch-permits";
import type { AdmissionOfProcess, TaskAdmission } from "@uag/usage/types";
import { type CapabilityContext, createContext } from "./context.ts";
import { credentialStatus } from "./credential-status.ts";
import { type CatalogFollower, followCatalog } from "./follow-catalog.ts";
import { onceByKey } from "./idempotency/open.ts";
import { type LinkListener, openLinkListener } from "./link-listener.ts";
import { estimatesOf, type OperationsOf } from "./operation/operation.ts";
import { providerTestRpc } from "./provider-test/rpc.ts";
import type { CapabilitySettings } from "./settings.ts";

/**
 * What a service serves, by operation name in the router's table, and its additional health checks.
 */
export interface Capability<S extends ServiceName> {
  readonly operations: OperationsOf<S>;
  readonly checks?: Readonly<Record<string, HealthCheck>>;
  /** Called before the service stops and waits for requests in flight. */
  leaving?(): void;
}

/** The largest body is a form of 64 MiB. */
const leastOwnerBytes = maxBodyBytesOfKind("multipart");

/** What {@link startCapability} starts. */
export interface CapabilityOptions<S extends ServiceName> {
  /** The service's name in logs, metrics and journals. */
  readonly name: S;
  readonly settings: CapabilitySettings;
  readonly env: NodeJS.ProcessEnv;
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
  const { context, admission, changes, catalog } = await openContext(options, { log, metrics, bus, identity, started });
  const built = await options.build(context, started, admission, identity);
  const { operations: defined, checks = {} } = built;
  const once = onceByKey(defined, { settings, context, limits: admission, identity, started });
  const operations = { ...once, ...estimatesOf(defined) };
  const link = createLinkServer({
    operations,
    currentName,
    maxExchanges: settings.MAX_EXCHANGES,
    log: linkLog(log),
  });
  const listeners: LinkListener[] = [];
  const isOpen: HealthCheck = async () =>
    listeners.length > 0 && !link.status().draining
      ? { ok: true }
      : { ok: false, reason: "not open, or about to stop" };
  const allChecks = { link: isOpen, nats: bus.check, admission: admission.check, catalog: changes.check, ...checks };
  const alive = { admission: admission.alive };
  const { HOST: host, ADMIN_PORT, GRPC_PORT, DRAIN_MS } = settings;
  const admin = started.use(await startAdminServer({ host, port: ADMIN_PORT, metrics, checks: allChecks, alive }));
  const services = [providerTestRpc(catalog, context)];
  // Routers send requests as soon as the port is open, which another replica could serve meanwhile.
  await changes.asked;
  const listener = started.use(
    await openLinkListener({ link, services, identity, host, port: GRPC_PORT, drainMs: DRAIN_MS }),
  );
  listeners.push(listener);
  started.defer(() => built.leaving?.());
  started.use(announceStatus({ bus, service: name, log, report: () => statusOf(context, metrics) }));
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
  const { unserved, overlayVersion, providers } = catalog.current;
  const simulated = [...providers.values()].filter((provider) => provider.simulated).map(({ name }) => name);
  return {
    figures: await metrics.read(watched),
    upstreams,
    unserved: [...unserved],
    catalog: {
      overlay_version: overlayVersion,
      simulated,
      credentials: credentialStatus(catalog.current, health.credentials),
    },
    above_hold: aboveHold.status(),
  };
}

function batchKeyOf(publisher: string, { TLS, USAGE_MAC_KEY: hex }: CapabilitySettings): BatchKey | undefined {
  if (hex !== undefined) return { publisher, key: Buffer.from(hex, "hex") };
  if (TLS === "off") return undefined;
  throw new ConfigError("USAGE_MAC_KEY must be set: metering rejects unsigned usage");
}

/** The volume of the journal also stores the last valid catalogue, for a start with an invalid file. */
function openFollowedCatalog(
  { CATALOG_FILE: file, JOURNAL_DIR: dir }: CapabilitySettings,
  env: NodeJS.ProcessEnv,
  log: Logger,
): Promise<FollowedCatalog> {
  return openCatalog({ file, env, log, lastValidFile: join(dir, "last-valid-catalog.yaml") });
}

async function openContext(
  { name, settings, env }: Pick<CapabilityOptions<ServiceName>, "name" | "settings" | "env">,
  {
    log,
    metrics,
    bus,
    identity,
    started,
  }: { log: Logger; metrics: Metrics; bus: Bus; identity: Identity; started: AsyncDisposableStack },
): Promise<{
  context: CapabilityContext;
  admission: AdmissionOfProcess;
  changes: CatalogFollower;
  catalog: FollowedCatalog;
}> {
  const catalog = started.use(await openFollowedCatalog(settings, env, log));
  metrics.sampled("uag_catalog_version", () => catalog.current.overlayVersion);
  metrics.sampled("uag_catalog_hash", () => catalog.fileHash);
  metrics.sampled("uag_catalog_rejected", () => Number(catalog.rejected));
  const changes = started.use(followCatalog({ catalog, address: settings.BILLING_ADDR, identity, bus, log }));
  const admission = started.use(
    await createAdmission({
      service: name,
      billing: { address: settings.BILLING_ADDR },
      metering: { address: settings.METERING_ADDR },
      identity,
      bus,
      batchKey: batchKeyOf(name, settings),
      journalDir: settings.JOURNAL_DIR,
      sharedFileSystem: settings.JOURNAL_SHARED_FS,
      journalKeep: settings.JOURNAL_KEEP,
      refusal: () => changes.refusal(),
      log,
      metrics,
    }),
  );
  const { EGRESS_ALLOW: egressAllow, BUFFER_MEMORY_BYTES: totalBytes, BUFFER_ACCOUNT_BYTES: ownerBytes } = settings;
  const bufferLimits = bufferLimitsOf({ service: name, totalBytes, ownerBytes, leastOwnerBytes, log });
  const proxies = proxiesOf(env);
  const tracing = await openTracing(name, settings, log);
  if (tracing !== undefined) started.use(tracing);
  const inferenceMetrics = await openInferenceMetrics(name, settings, log);
  if (inferenceMetrics !== undefined) started.use(inferenceMetrics);
  const refusals = started.use(new RefusalReport({ bus, service: name, clock: systemClock, log }));
  const fetchBudget = started.use(openFetchPermits(settings.BILLING_ADDR, identity));
  metrics.sampled("uag_url_fetches_refused_total", () => fetchBudget.refused);
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
      inferenceMetrics,
      countRefusal: (refusal) => refusals.add(refusal),
      fetchBudget,
    }),
  );
  return { context, admission, changes, catalog };
}

function linkLog(log: Logger): (event: string, detail: { error: unknown; requestId?: string }) => void {
  return (event, { error, requestId }) => log.error({ err: error, request_id: requestId }, event);
}
