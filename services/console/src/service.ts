import { fileURLToPath } from "node:url";
import { connectMongo, mongoCheck } from "@uag/mongo/connect";
import {
  type NotificationServiceServer,
  NotificationServiceService,
} from "@uag/proto/notifications/v1/notifications.ts";
import { announceStatus } from "@uag/runtime/announce-status";
import { connectBus } from "@uag/runtime/bus";
import { systemClock } from "@uag/runtime/clock";
import { ConfigError, readConfig } from "@uag/runtime/config";
import { startAdminServer } from "@uag/runtime/health";
import { startMountedServer } from "@uag/runtime/http/mounted-server";
import { keyringOf } from "@uag/runtime/keyring";
import { createLogger } from "@uag/runtime/log";
import { createMetrics } from "@uag/runtime/metrics";
import { createRpcClient } from "@uag/runtime/rpc/client";
import { type Identity, openIdentity } from "@uag/runtime/rpc/identity";
import { SecretBox } from "@uag/runtime/secret-box";
import { Agent } from "undici";
import manifest from "../package.json" with { type: "json" };
import { AdminApi } from "./admin-api/client.ts";
import { DelegatedCredentials } from "./admin-api/credentials.ts";
import { SimulatedProviders } from "./admin-api/simulated.ts";
import { createApp } from "./app.ts";
import { Audit } from "./audit.ts";
import { type ConsoleSettings, schema } from "./config.ts";
import { createEvents } from "./events.ts";
import { HintHub } from "./hints/hub.ts";
import { ConsoleMail } from "./mail/console-mail.ts";
import { Devices } from "./sign-in/devices.ts";
import { makeFirstUser } from "./sign-in/first-user.ts";
import { Oidc } from "./sign-in/oidc.ts";
import { Passwords } from "./sign-in/passwords.ts";
import { Sessions } from "./sign-in/sessions.ts";
import { SignInThrottle } from "./sign-in/throttle.ts";
import { Buckets } from "./store/buckets.ts";
import { openStore, type Store } from "./store/store.ts";
import { TwoFactor } from "./two-factor/two-factor.ts";

export interface ConsoleService extends AsyncDisposable {
  readonly port: number;
  readonly adminPort: number;
}

const maxPoolSize = 16;
/**
 * Longest time until the gateway begins a response, and between two of its chunks, milliseconds.
 */
const patienceMs = 900_000;
const builtWeb = fileURLToPath(new URL("../web/dist", import.meta.url));

/** Starts the console; resolves when it serves. Disposing waits for requests under way. */
export async function startService(env: NodeJS.ProcessEnv = process.env): Promise<ConsoleService> {
  const settings = readConfig(schema, env);
  const log = createLogger({ service: "console", level: settings.LOG_LEVEL });
  const metrics = createMetrics("console");
  const events = createEvents(log, metrics);
  await using started = new AsyncDisposableStack();
  const { MONGODB_URL: url, MONGODB_DATABASE: database, HOST: host } = settings;
  const connection = await connectMongo({ url, database, service: "console", maxPoolSize });
  started.defer(() => connection.close());
  const store = await openStore(connection);
  const passwords = new Passwords();
  await makeFirstUser(store, passwords, { email: settings.FIRST_EMAIL, password: settings.FIRST_PASSWORD });
  const dispatcher = new Agent({ headersTimeout: patienceMs, bodyTimeout: patienceMs });
  started.defer(() => dispatcher.destroy());
  const identity = openIdentity(settings, log);
  const audit = started.use(new Audit({ address: settings.BILLING_ADDR, identity, clock: systemClock, events }));
  const sessions = new Sessions(store.sessions, { idleMs: settings.SESSION_IDLE_MS, maxMs: settings.SESSION_MAX_MS });
  const api = new AdminApi({ baseUrl: settings.ADMIN_URL, dispatcher });
  const credentials = new DelegatedCredentials({ api, ownToken: settings.CONSOLE_ADMIN_TOKEN, sessions, events });
  const simulated = new SimulatedProviders({
    api,
    token: settings.CONSOLE_ADMIN_TOKEN,
    configured: settings.SIMULATED_PROVIDER_VARIABLES,
  });
  const bus = started.use(await connectBus({ settings, name: "console", log }));
  started.use(announceStatus({ bus, service: "console", log }));
  const hints = started.use(new HintHub(bus));
  const buckets = new Buckets(store);
  const throttle = new SignInThrottle(buckets);
  const devices = new Devices(store);
  const notifications = notificationsOf(settings, identity);
  if (notifications !== undefined) started.use(notifications);
  const parts = {
    store,
    buckets,
    twoFactor: twoFactorOf(settings, store),
    mail: new ConsoleMail({ sender: notifications, events }),
    sessions,
    passwords,
    throttle,
    devices,
    credentials,
    audit,
    events,
    api,
    simulated,
    dispatcher,
    hints,
  };
  const app = createApp({ ...parts, notifications, ...placesOf(settings) });
  const { PORT: port, LINGER_MS: lingerMs, DRAIN_MS: drainMs } = settings;
  const server = started.use(await startMountedServer(app, { host, port, lingerMs, drainMs }));
  const admin = await startAdminServer({
    host,
    port: settings.ADMIN_PORT,
    metrics,
    checks: { mongodb: mongoCheck(connection) },
  });
  started.use(admin);
  log.info({ port: server.port, adminPort: admin.port }, "console is up");
  const running = started.move();
  return { port: server.port, adminPort: admin.port, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

function notificationsOf({ NOTIFICATIONS_ADDR: address }: ConsoleSettings, identity: Identity) {
  return address === undefined
    ? undefined
    : createRpcClient<NotificationServiceServer>(NotificationServiceService, address, identity);
}

function twoFactorOf(settings: ConsoleSettings, { users }: Pick<Store, "users">): TwoFactor {
  const { TOTP_KEY: key, TOTP_KEY_PREVIOUS: previous, TWO_FACTOR_ROLES: requiredRoles } = settings;
  if (key === undefined && requiredRoles.length > 0)
    throw new ConfigError("TOTP_KEY must be set with TWO_FACTOR_ROLES");
  const box = key === undefined ? undefined : new SecretBox(keyringOf(key, previous));
  return new TwoFactor({ users, box, requiredRoles });
}

function placesOf(settings: ConsoleSettings) {
  const baseUrl = (settings.PUBLIC_URL ?? settings.GATEWAY_URL).replace(/\/$/, "");
  return {
    baseUrl,
    oidc: settings.OIDC_ISSUER === undefined ? undefined : new Oidc(settings, baseUrl),
    version: manifest.version,
    adminUrl: settings.ADMIN_URL,
    ownToken: settings.CONSOLE_ADMIN_TOKEN,
    gatewayUrl: settings.GATEWAY_URL,
    contentOrigins: [new URL(baseUrl).origin, ...settings.CONTENT_ORIGINS],
    webDir: settings.WEB_DIR ?? builtWeb,
    requestLimits: {
      maxOpen: settings.MAX_OPEN,
      maxOpenPerUser: settings.MAX_OPEN_PER_USER,
      maxStrangers: settings.MAX_OPEN_SIGNED_OUT,
      strangerMs: settings.SIGNED_OUT_MS,
    },
  };
}
