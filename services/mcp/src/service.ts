import { readConfig } from "@uag/runtime/config";
import { startAdminServer } from "@uag/runtime/health";
import { startMountedServer } from "@uag/runtime/http/mounted-server";
import { createLogger } from "@uag/runtime/log";
import { createMetrics } from "@uag/runtime/metrics";
import { OpenRequests } from "@uag/runtime/open-requests";
import { BufferBudget } from "@uag/untrusted/buffer-budget";
import { createGuardedClient } from "@uag/untrusted/http/guarded";
import { bufferLimitsOf } from "@uag/untrusted/memory-limit";
import { createApp } from "./app.ts";
import { schema } from "./config.ts";
import { createEvents } from "./events.ts";
import { Files } from "./gateway/files.ts";
import { KeyModels } from "./gateway/key-models.ts";
import { PublicApi } from "./gateway/public-api.ts";
import { allowedHosts } from "./http/hosts.ts";

export interface McpService extends AsyncDisposable {
  readonly port: number;
  readonly adminPort: number;
  /** How long disposing waits for requests in flight, milliseconds. */
  readonly drainMs: number;
}

/** A body of the largest size, and the images that it names. */
const leastOwnerBytes = 96 * 1024 * 1024;

/** Starts the tool server; resolves when it listens. Disposing waits for requests in flight. */
export async function startService(env: NodeJS.ProcessEnv = process.env): Promise<McpService> {
  const settings = readConfig(schema, env);
  const log = createLogger({ service: "mcp", level: settings.LOG_LEVEL });
  const metrics = createMetrics("mcp");
  const { BUFFER_MEMORY_BYTES: totalBytes, BUFFER_KEY_BYTES: ownerBytes } = settings;
  const events = createEvents(log, metrics);
  await using started = new AsyncDisposableStack();
  const api = started.use(new PublicApi({ baseUrl: settings.GATEWAY_URL, timeoutMs: settings.CALL_TIMEOUT_MS }));
  const guarded = started.use(createGuardedClient({ allow: settings.EGRESS_ALLOW }));
  const publicUrl = settings.PUBLIC_URL ?? settings.GATEWAY_URL;
  const app = createApp({
    api,
    events,
    files: new Files({ api, guarded, publicUrl }),
    models: new KeyModels(api),
    hosts: allowedHosts(publicUrl, settings.ALLOWED_HOSTS),
    requests: new OpenRequests({
      total: { max: settings.MAX_OPEN, setting: "MAX_OPEN" },
      perKey: settings.MAX_OPEN_PER_KEY,
    }),
    buffers: new BufferBudget(bufferLimitsOf({ service: "mcp", totalBytes, ownerBytes, leastOwnerBytes, log })),
    bodyLimit: settings.BODY_LIMIT,
  });
  const { HOST: host, PORT, LINGER_MS: lingerMs, DRAIN_MS: drainMs } = settings;
  const server = started.use(await startMountedServer(app, { host, port: PORT, lingerMs, drainMs }));
  const admin = await startAdminServer({ host: settings.HOST, port: settings.ADMIN_PORT, metrics, checks: {} });
  started.use(admin);
  log.info({ port: server.port, adminPort: admin.port }, "mcp is up");
  const running = started.move();
  return {
    port: server.port,
    adminPort: admin.port,
    drainMs: settings.DRAIN_MS,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
