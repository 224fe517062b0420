import { connectMongo } from "@uag/mongo/connect";
import {
  type NotificationServiceServer,
  NotificationServiceService,
} from "@uag/proto/notifications/v1/notifications.ts";
import { readConfig } from "@uag/runtime/config";
import { createLogger } from "@uag/runtime/log";
import { createMetrics } from "@uag/runtime/metrics";
import { createRpcClient, type RpcClient } from "@uag/runtime/rpc/client";
import { insecure } from "@uag/runtime/rpc/identity";
import { serveRpc } from "@uag/runtime/rpc/server";
import { schema } from "../src/config.ts";
import { createEvents } from "../src/events.ts";
import { openParts } from "../src/parts.ts";
import { notificationService } from "../src/rpc/notification-service.ts";

export interface Replica extends AsyncDisposable {
  readonly notifications: RpcClient<NotificationServiceServer>;
}

export interface ReplicaOptions {
  readonly at: { url: string; database: string };
  readonly env?: NodeJS.ProcessEnv;
}

/** Settings that notifications needs and these tests do not, and short pauses. */
const usual = { NATS_URL: "unused", WEBHOOK_KEY: "5a".repeat(32), WEBHOOK_SCALE: "0.002", WEBHOOK_TIMEOUT_MS: "500" };

/** One replica of notifications, behind real gRPC. */
export async function startReplica({ at, env }: ReplicaOptions): Promise<Replica> {
  await using starting = new AsyncDisposableStack();
  const settings = readConfig(schema, { ...usual, MONGODB_URL: at.url, MONGODB_DATABASE: at.database, ...env });
  const log = createLogger({ service: "notifications-test", level: process.env["TEST_LOG"] ?? "silent" });
  const connection = await connectMongo({ ...at, service: "test", maxPoolSize: 16, readConcern: "majority" });
  starting.defer(() => connection.close());
  const events = createEvents(log, createMetrics("notifications-test"));
  const parts = await openParts({ settings, connection, events, resources: starting });
  const services = [notificationService({ ...parts, log })];
  const { port } = starting.use(await serveRpc({ host: "127.0.0.1", port: 0, identity: insecure, services }));
  const address = `127.0.0.1:${port}`;
  const notifications = createRpcClient<NotificationServiceServer>(NotificationServiceService, address, insecure);
  starting.use(notifications);
  const running = starting.move();
  return { notifications, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
