import { connectMongo, mongoCheck } from "@uag/mongo/connect";
import { openDatabaseClock } from "@uag/mongo/database-clock";
import { announceStatus } from "@uag/runtime/announce-status";
import { connectBus } from "@uag/runtime/bus";
import { readConfig } from "@uag/runtime/config";
import { startAdminServer } from "@uag/runtime/health";
import { createLogger } from "@uag/runtime/log";
import { createMetrics } from "@uag/runtime/metrics";
import { openIdentity } from "@uag/runtime/rpc/identity";
import { serveRpc } from "@uag/runtime/rpc/server";
import { schema } from "./config.ts";
import { createEvents } from "./events.ts";
import { openParts } from "./parts.ts";
import { notificationService } from "./rpc/notification-service.ts";

export interface NotificationsService extends AsyncDisposable {
  readonly grpcPort: number;
  readonly adminPort: number;
}

const maxPoolSize = 32;

/** Starts notifications as configured by the environment; resolves when it serves. */
export async function startService(env: NodeJS.ProcessEnv = process.env): Promise<NotificationsService> {
  const settings = readConfig(schema, env);
  await using stack = new AsyncDisposableStack();
  const log = createLogger({ service: "notifications", level: settings.LOG_LEVEL });
  const metrics = createMetrics("notifications");
  const identity = openIdentity(settings, log);
  const { MONGODB_URL: url, MONGODB_DATABASE: database, HOST: host } = settings;
  const service = "notifications";
  const connection = await connectMongo({ url, database, service, maxPoolSize, readConcern: "majority" });
  stack.defer(() => connection.close());
  const clock = stack.use(await openDatabaseClock(connection, { log, metrics }));
  const parts = await openParts({ settings, connection, events: createEvents(log, metrics), resources: stack });
  const services = [notificationService({ ...parts, log })];
  const server = stack.use(await serveRpc({ host, port: settings.GRPC_PORT, identity, services }));
  const bus = stack.use(await connectBus({ settings, name: service, log }));
  const checks = { mongodb: mongoCheck(connection), clock: clock.check };
  const admin = stack.use(await startAdminServer({ host, port: settings.ADMIN_PORT, metrics, checks }));
  stack.use(announceStatus({ bus, service, log }));
  log.info({ grpcPort: server.port, adminPort: admin.port }, "notifications is up");
  const running = stack.move();
  return { grpcPort: server.port, adminPort: admin.port, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
