import { createAdmission } from "@uag/admission/admission.ts";
import type { Admission } from "@uag/admission/types.ts";
import { openCatalog } from "@uag/catalog/store.ts";
import { connectBus } from "@uag/kit/bus.ts";
import { readConfig } from "@uag/kit/config.ts";
import { type HealthCheck, startAdminServer } from "@uag/kit/health.ts";
import { createGuardedClient } from "@uag/kit/http/guarded.ts";
import { createLinkServer } from "@uag/kit/link/server.ts";
import { createLogger, type Logger } from "@uag/kit/log.ts";
import { createMetrics } from "@uag/kit/metrics.ts";
import { UpstreamHealth } from "@uag/upstreams/health.ts";
import { HttpPools } from "@uag/upstreams/http/pools.ts";
import { createMediaFetcher } from "@uag/upstreams/media/fetch.ts";
import { RetryBudget } from "@uag/upstreams/retry-budget.ts";
import { schema } from "./config.ts";
import type { ChatContext } from "./context.ts";
import { createEvents } from "./events.ts";
import { type LinkDoor, openLinkDoor } from "./link-door.ts";
import { operations } from "./operations.ts";

export interface ChatService extends AsyncDisposable {
  readonly grpcPort: number;
  readonly adminPort: number;
}

/** Starts chat as the environment says; resolves when it serves. Disposing finishes what is under way, bills included. */
export async function startService(env: NodeJS.ProcessEnv = process.env): Promise<ChatService> {
  const config = readConfig(schema, env);
  const log = createLogger({ service: "chat", level: config.LOG_LEVEL });
  const metrics = createMetrics("chat");
  await using started = new AsyncDisposableStack();
  const catalog = started.use(await openCatalog({ file: config.CATALOG_FILE, env, log }));
  const bus = started.use(await connectBus({ url: config.NATS_URL, name: "chat", log }));
  const admission = started.use(
    await createAdmission({
      service: "chat",
      billing: { address: config.BILLING_ADDR },
      metering: { address: config.METERING_ADDR },
      bus,
      journalDir: config.JOURNAL_DIR,
      log,
      metrics,
    }),
  );
  const context = started.use(createContext({ catalog, admission, log, metrics, egressAllow: config.EGRESS_ALLOW }));
  const link = createLinkServer({
    operations: operations(context),
    maxExchanges: config.MAX_EXCHANGES,
    log: linkLog(log),
  });
  const doors: LinkDoor[] = [];
  const isOpen: HealthCheck = async () =>
    doors.length > 0 && !link.status().draining ? { ok: true } : { ok: false, reason: "not open, or about to stop" };
  const checks = { link: isOpen, nats: bus.check, admission: admission.check };
  const admin = started.use(await startAdminServer({ host: config.HOST, port: config.ADMIN_PORT, metrics, checks }));
  const door = started.use(
    await openLinkDoor({ link, host: config.HOST, port: config.GRPC_PORT, drainMs: config.DRAIN_MS }),
  );
  doors.push(door);
  log.info({ grpcPort: door.port, adminPort: admin.port }, "chat is up");
  const running = started.move();
  return {
    grpcPort: door.port,
    adminPort: admin.port,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** The parts that operations share. Disposing closes the connections to upstreams. */
export function createContext(parts: {
  catalog: ChatContext["catalog"];
  admission: Admission;
  log: Logger;
  metrics: ReturnType<typeof createMetrics>;
  /** `host:port` of URLs that may be fetched although they are not public. */
  egressAllow?: readonly string[];
}): ChatContext & AsyncDisposable {
  const pools = new HttpPools();
  const guarded = createGuardedClient({ allow: parts.egressAllow ?? [] });
  return {
    catalog: parts.catalog,
    admission: parts.admission,
    pools,
    health: new UpstreamHealth(),
    budget: new RetryBudget(),
    events: createEvents(parts.log, parts.metrics),
    media: createMediaFetcher(guarded),
    async [Symbol.asyncDispose]() {
      await Promise.all([pools[Symbol.asyncDispose](), guarded[Symbol.asyncDispose]()]);
    },
  };
}

function linkLog(log: Logger): (event: string, detail: { error: unknown; requestId?: string }) => void {
  return (event, { error, requestId }) => log.error({ err: error, request_id: requestId }, event);
}
