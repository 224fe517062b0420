import { connectBus } from "@uag/kit/bus.ts";
import { type HealthCheck, startAdminServer } from "@uag/kit/health.ts";
import { createLogger } from "@uag/kit/log.ts";
import { createMetrics } from "@uag/kit/metrics.ts";
import { openAdminClients } from "./admin/admin.ts";
import type { AdminOptions } from "./admin/mount.ts";
import { type AppOptions, createApp } from "./app.ts";
import type { Config } from "./config.ts";
import { openKeys } from "./keys/open-keys.ts";
import { type Links, openLinks } from "./links.ts";
import { openQueries } from "./queries.ts";
import { type Door, openDoor } from "./server.ts";
import { UploadWatch } from "./upload-watch.ts";

export interface Gateway extends AsyncDisposable {
  readonly port: number;
  readonly adminPort: number;
}

/** Starts the router; when it resolves the public port is open. Disposing drains it. */
export async function startGateway(config: Config): Promise<Gateway> {
  await using starting = new AsyncDisposableStack();
  const log = createLogger({ service: "gateway", level: config.LOG_LEVEL });
  const metrics = createMetrics("gateway");
  const bus = starting.use(await connectBus({ url: config.NATS_URL, name: "gateway", log }));
  const { keys } = starting.use(openKeys({ ...keySettings(config), bus, metrics, log }));
  const links = starting.use(openLinks(config, log));
  const queries = starting.use(openQueries({ billing: config.BILLING_ADDR, metering: config.METERING_ADDR }));
  const adminApi = openAdmin(config);
  if (adminApi !== undefined) starting.use(adminApi.clients);
  const uploads = starting.use(new UploadWatch(config.UPLOAD_IDLE_MS));
  const doors: Door[] = [];
  const readiness = readinessOf(doors, links);
  const admin = starting.use(
    await startAdminServer({ host: config.HOST, port: config.ADMIN_PORT, metrics, checks: readiness }),
  );
  const parts = {
    log,
    metrics,
    keys,
    links: links.byService,
    queries: queries.handlers,
    admin: adminApi,
    uploads,
    readiness,
  };
  const door = starting.use(
    await openDoor({ app: createApp({ ...parts, ...appSettings(config) }), ...doorSettings(config) }),
  );
  doors.push(door);
  log.info({ port: door.port, admin_port: admin.port }, "ready");
  const running = starting.move();
  return { port: door.port, adminPort: admin.port, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** A router that is not open, is about to stop, or can reach no capability service should get no new requests. */
function readinessOf(doors: readonly Door[], links: Links): Record<string, HealthCheck> {
  const open = (): boolean => doors.some((door) => !door.draining);
  return {
    door: async () => (open() ? { ok: true } : { ok: false, reason: "not open, or draining" }),
    services: async () => (links.anyReady() ? { ok: true } : { ok: false, reason: "no capability service is reached" }),
  };
}

/** Administrators ask for money and usage alike: without metering there is no admin API. */
function openAdmin(config: Config): AdminOptions | undefined {
  const { BILLING_ADDR: billing, METERING_ADDR: metering, VIDEO_ADDR: video, KEY_PEPPER: pepper } = config;
  if (metering === undefined) return undefined;
  return { clients: openAdminClients({ billing, metering, video }), pepper: Buffer.from(pepper, "hex") };
}

function keySettings(config: Config) {
  return {
    billingAddress: config.BILLING_ADDR,
    pepper: config.KEY_PEPPER,
    maxAgeMs: config.KEY_CACHE_MS,
    maxEntries: config.KEY_CACHE_SIZE,
  };
}

function appSettings(config: Config): Pick<AppOptions, "accessLog" | "proxies" | "bodyLimits" | "deadlineMs"> {
  const urls = { "/console": config.CONSOLE_URL, "/mcp": config.MCP_URL, "/assets": config.ASSETS_URL };
  const proxies = Object.entries(urls).flatMap(([path, url]) => (url === undefined ? [] : [[path, url]]));
  return {
    accessLog: config.ACCESS_LOG,
    proxies: Object.fromEntries(proxies),
    bodyLimits: { json: config.JSON_BODY_LIMIT, multipart: config.MULTIPART_BODY_LIMIT },
    deadlineMs: config.REQUEST_DEADLINE_MS,
  };
}

const idleGraceMs = 30_000;

function doorSettings(config: Config) {
  return {
    host: config.HOST,
    port: config.PORT,
    headerLimit: config.HEADER_LIMIT,
    drainMs: config.DRAIN_MS,
    idleMs: config.REQUEST_DEADLINE_MS + idleGraceMs,
  };
}
