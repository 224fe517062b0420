import { addressSetting, serviceNames } from "@uag/contract/routes";
import { announceStatus } from "@uag/runtime/announce-status";
import { type Bus, connectBus } from "@uag/runtime/bus";
import { systemClock } from "@uag/runtime/clock";
import { readConfig } from "@uag/runtime/config";
import type { HealthCheck } from "@uag/runtime/health";
import { type Keyring, keyringOf } from "@uag/runtime/keyring";
import { createLogger, type Logger } from "@uag/runtime/log";
import { createMetrics } from "@uag/runtime/metrics";
import { OpenRequests } from "@uag/runtime/open-requests";
import { RefusalReport } from "@uag/runtime/refusals";
import { type Identity, openIdentity } from "@uag/runtime/rpc/identity";
import { openTracing } from "@uag/runtime/tracing/tracing";
import { FreeLimits } from "@uag/untrusted/free-limits";
import { AdminAuthenticator } from "./admin/authenticate.ts";
import { type AdminAddresses, openAdminClients } from "./admin/clients.ts";
import { FailedLogins } from "./admin/failed-logins.ts";
import type { AdminOptions } from "./admin/mount.ts";
import { Replicas } from "./admin/replicas.ts";
import { type AppOptions, createApp } from "./app.ts";
import { type Config, schema } from "./config.ts";
import { openKeys } from "./keys/open-keys.ts";
import { type Links, openLinks } from "./links.ts";
import { observe } from "./middleware/observe.ts";
import { MountReplicas } from "./mount-replicas.ts";
import { mounts } from "./mounts.ts";
import { createOperatorApp } from "./operator-app.ts";
import { openQueries } from "./queries.ts";
import { type ReceiptSigner, receiptSigner } from "./receipts/signature.ts";
import { openPublicServer, type PublicServer } from "./server.ts";
import { UploadWatch, type UploadWatchOptions } from "./upload-watch.ts";

export interface Router extends AsyncDisposable {
  readonly port: number;
  readonly adminPort: number;
  /** How long disposing waits for responses in flight, milliseconds. */
  readonly drainMs: number;
}

/** Starts the router as configured by the environment. */
export function startService(env: NodeJS.ProcessEnv = process.env): Promise<Router> {
  return startRouter(readConfig(schema, env));
}

/** Starts the router; resolves when the public port is open. Disposing drains it. */
export async function startRouter(config: Config): Promise<Router> {
  await using starting = new AsyncDisposableStack();
  const log = createLogger({ service: "router", level: config.LOG_LEVEL });
  const metrics = createMetrics("router");
  const identity = openIdentity(config, log);
  const bus = starting.use(await connectBus({ settings: config, name: "router", log }));
  const peppers = keyringOf(config.KEY_PEPPER, config.KEY_PEPPER_PREVIOUS);
  const { keys } = starting.use(openKeys({ ...keySettings(config), peppers, identity, bus, metrics, log }));
  const links = starting.use(openLinks(config, identity, log));
  const signer = signerOf(config);
  const addresses = { billing: config.BILLING_ADDR, metering: config.METERING_ADDR };
  const queries = starting.use(openQueries(addresses, { identity, signer }));
  const adminApi = openAdmin(config, { peppers, identity, bus, log });
  if (adminApi !== undefined) starting.use(adminApi.clients);
  const uploads = starting.use(new UploadWatch(uploadSettings(config)));
  const servers: PublicServer[] = [];
  const readiness = readinessOf(servers, links);
  const refusals = starting.use(new RefusalReport({ bus, service: "router", clock: systemClock, log }));
  const shared = { log, readiness, observe: observe({ metrics, log, accessLog: config.ACCESS_LOG, refusals }) };
  const admin = starting.use(
    await openPublicServer({
      ...serverSettings(config),
      // It closes after the public one, whose linger its clients have had too.
      lingerMs: 0,
      host: config.ADMIN_HOST ?? config.HOST,
      port: config.ADMIN_PORT,
      app: createOperatorApp({ ...shared, metrics, admin: operatorsAdmin(adminApi, config) }),
    }),
  );
  const tracing = await openTracing("router", config, log);
  if (tracing !== undefined) starting.use(tracing);
  const parts = {
    ...shared,
    tracing,
    keys,
    links: links.byService,
    queries: queries.handlers,
    signer,
    admin: config.ADMIN_ON_PUBLIC_PORT === "on" ? adminApi : undefined,
    uploads,
    freeLimits: new FreeLimits({ clock: systemClock, ...freeSettings(config) }),
    open: new OpenRequests({ perKey: config.MAX_OPEN_PER_KEY }),
  };
  const server = starting.use(
    await openPublicServer({ app: createApp({ ...parts, ...appSettings(config) }), ...serverSettings(config) }),
  );
  servers.push(server);
  starting.use(announceStatus({ bus, service: "router", log }));
  log.info({ port: server.port, admin_port: admin.port }, "ready");
  const running = starting.move();
  return {
    port: server.port,
    adminPort: admin.port,
    drainMs: config.LINGER_MS + config.DRAIN_MS,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function signerOf({ RECEIPT_KEY, RECEIPT_KEY_PREVIOUS }: Config): ReceiptSigner | undefined {
  return RECEIPT_KEY === undefined ? undefined : receiptSigner(RECEIPT_KEY, RECEIPT_KEY_PREVIOUS);
}

/**
 * A router that is not open, is stopping, or can reach no capability service should get no new
 * requests.
 */
function readinessOf(servers: readonly PublicServer[], links: Links): Record<string, HealthCheck> {
  const open = (): boolean => servers.some((server) => !server.draining);
  return {
    public_server: async () => (open() ? { ok: true } : { ok: false, reason: "not open, or draining" }),
    services: async () => (links.anyReady() ? { ok: true } : { ok: false, reason: "no capability service is reached" }),
  };
}

/** Administrators query both money and usage: without metering there is no admin API. */
function openAdmin(
  config: Config,
  { peppers, identity, bus, log }: { peppers: Keyring; identity: Identity; bus: Bus; log: Logger },
): AdminOptions | undefined {
  const { BILLING_ADDR: billing, METERING_ADDR: metering, NOTIFICATIONS_ADDR: notifications } = config;
  if (metering === undefined) return undefined;
  const clients = openAdminClients({ billing, metering, notifications, services: addressesOf(config) }, identity);
  const clock = systemClock;
  const failedLogins = new FailedLogins({ clients, clock, log });
  const authenticator = new AdminAuthenticator({ clients, peppers, failedLogins, clock });
  const publicUrl = config.PUBLIC_URL?.replace(/\/$/, "") ?? `http://${config.HOST}:${config.PORT}`;
  const replicas = new Replicas({ bus, clock, log });
  return { clients, replicas, authenticator, trustedHops: config.TRUSTED_HOPS, behindConsole: false, publicUrl };
}

const addressesOf = (config: Config): AdminAddresses["services"] =>
  Object.fromEntries(
    serviceNames.flatMap((service) => {
      const addresses = config[addressSetting(service)];
      return addresses === undefined ? [] : [[service, addresses]];
    }),
  );

/** The operators' port has other proxies in front than the public one: mostly the console alone. */
function operatorsAdmin(admin: AdminOptions | undefined, config: Config): AdminOptions | undefined {
  return admin && { ...admin, trustedHops: config.ADMIN_TRUSTED_HOPS ?? admin.trustedHops, behindConsole: true };
}

function keySettings(config: Config) {
  return {
    billingAddress: config.BILLING_ADDR,
    maxAgeMs: config.KEY_CACHE_MS,
    maxEntries: config.KEY_CACHE_SIZE,
  };
}

function freeSettings(config: Config) {
  return { perMinute: config.FREE_REQUESTS_PER_MINUTE, concurrency: config.FREE_CONCURRENCY };
}

function uploadSettings(config: Config): UploadWatchOptions {
  return { windowMs: config.UPLOAD_IDLE_MS, minBytesPerSecond: config.UPLOAD_MIN_RATE };
}

function appSettings(config: Config): Pick<AppOptions, "trustedHops" | "proxies" | "bodyLimits" | "deadlineMs"> {
  const proxies = mounts.flatMap((mount) => {
    const targets = config[mount.setting];
    return targets === undefined ? [] : [{ mount, replicas: new MountReplicas(targets, systemClock) }];
  });
  return {
    trustedHops: config.TRUSTED_HOPS,
    proxies,
    bodyLimits: {
      none: 0,
      json: config.JSON_BODY_LIMIT,
      multipart: config.MULTIPART_BODY_LIMIT,
      upload: config.UPLOAD_BODY_LIMIT,
    },
    deadlineMs: config.REQUEST_DEADLINE_MS,
  };
}

const idleGraceMs = 30_000;

function serverSettings(config: Config) {
  return {
    host: config.HOST,
    port: config.PORT,
    headerLimit: config.HEADER_LIMIT,
    connectionMaxAgeMs: config.CONNECTION_MAX_AGE_MS,
    lingerMs: config.LINGER_MS,
    drainMs: config.DRAIN_MS,
    idleMs: config.REQUEST_DEADLINE_MS + idleGraceMs,
  };
}
