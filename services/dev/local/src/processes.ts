import { join } from "node:path";
import type { ProviderEnvironment } from "@uag/catalog/provider-environment";
import type { Peer } from "@uag/contract/access/rpc";
import { addressSetting, type ServiceName, serviceNames } from "@uag/contract/routes";
import { adminSettings, providerSettings, providerStates, simulatedProviders } from "./providers.ts";
import type { Secrets } from "./secrets.ts";

/** The inputs for the environment of a service. */
export interface Environment {
  readonly dataDir: string;
  /** Port of the public server. */
  readonly port: number;
  /** A service's settings for the engines. */
  engineSettings(peer: Peer): Record<string, string>;
  /** The key with which a service signs its usage batches, hex. */
  batchKey(publisher: Peer): string;
  /** The key with which the auditor signs its checkpoints, hex. */
  readonly auditKey: string;
  readonly simulatorUrl: string;
  readonly egressAllow: string;
  readonly secrets: Secrets;
  /** The model catalogue, and the environment variables its providers use. */
  readonly catalogFile: string;
  readonly providers: readonly ProviderEnvironment[];
  /** The caller's environment, the source of provider keys. */
  readonly callerEnv: NodeJS.ProcessEnv;
  /** `host:port` of every replica's gRPC server, comma-separated. */
  grpc(service: string): string;
  /** Likewise for another port, by its variable. */
  address(service: string, variable: string): string;
  /** True if a balancer is in front of the routers and has the public port. */
  readonly balanced: boolean;
  /** `host:port` of the admin API. */
  readonly adminAddress: string;
}

export interface ServiceRow {
  readonly name: string;
  /** Its identity towards the other services; undefined if it neither calls nor serves them. */
  readonly peer?: Peer;
  readonly entry: string;
  /** Variables that each get a port. */
  readonly ports: readonly string[];
  /** The readiness check: a path on the port of a variable. */
  readonly ready: readonly [variable: string, path: string];
  /** A path on the same port that responds as long as the process is not stuck. */
  readonly alive: string;
  env(around: Environment): Record<string, string>;
}

// Responses in flight may continue for this long after SIGTERM; the supervisor kills a process 10 s
// after it.
const drainMs = "8000";
/** On one machine no other process needs notice of a stop. */
const lingerMs = "0";

const health = { ready: ["ADMIN_PORT", "/health/ready"], alive: "/health/live" } as const;

/** Other services depend on it, so it is started before them, together with the engines. */
export const simulator: ServiceRow = {
  name: "simulator",
  entry: "services/dev/simulator/src/main.ts",
  ports: ["PORT"],
  ready: ["PORT", "/sim/health"],
  alive: "/sim/health",
  env: ({ dataDir }) => ({ DATA_DIR: join(dataDir, "simulator") }),
};

/** A service that serves models: it reads the catalogue, calls providers and keeps a journal. */
function capability(name: Peer): ServiceRow {
  return {
    name,
    peer: name,
    entry: `services/${name}/src/main.ts`,
    ports: ["GRPC_PORT", "ADMIN_PORT"],
    ...health,
    env: (around) => ({
      BILLING_ADDR: around.grpc("billing"),
      METERING_ADDR: around.grpc("metering"),
      // Shared by all replicas: each adopts the journals of dead ones.
      JOURNAL_DIR: join(around.dataDir, "journal", name),
      USAGE_MAC_KEY: around.batchKey(name),
      ANSWER_KEY: around.secrets.answer_key.current,
      ANSWER_KEY_PREVIOUS: around.secrets.answer_key.previous.join(","),
      CATALOG_FILE: around.catalogFile,
      EGRESS_ALLOW: around.egressAllow,
      DRAIN_MS: drainMs,
      ...providerSettings(around.providers, around.callerEnv, around.simulatorUrl),
    }),
  };
}

/** Comma-separated `host:port`s as URLs. */
const urlsOf = (addresses: string): string =>
  addresses
    .split(",")
    .map((address) => `http://${address}`)
    .join();

const publicUrl = (port: number): string => `http://127.0.0.1:${port}`;

const mediaRow = capability("media");
const media: ServiceRow = {
  ...mediaRow,
  ports: [...mediaRow.ports, "ASSETS_PORT", "ASSETS_GRPC_PORT"],
  env: (around) => ({
    ...mediaRow.env(around),
    CHAT_ADDR: around.grpc("chat"),
    EMBEDDING_ADDR: around.grpc("embedding"),
    LINGER_MS: lingerMs,
    PUBLIC_URL: publicUrl(around.port),
    ASSETS_SECRET: around.secrets.assets_secret.current,
    ASSETS_SECRET_PREVIOUS: around.secrets.assets_secret.previous.join(","),
  }),
};

/**
 * The simulator's tasks take milliseconds, not minutes, so they are polled correspondingly more
 * often.
 */
const simulatedPolling = {
  POLL_SCALE: "0.02",
  POLL_QPS: "400",
  POLL_TIMEOUT_MS: "4000",
  CREATE_TIMEOUT_MS: "8000",
};

const videoRow = capability("video");
const video: ServiceRow = {
  ...videoRow,
  env: (around) => {
    const simulated = simulatedProviders(around.providers, around.callerEnv);
    const ofVideo = around.providers.filter(({ operations }) => operations.has("videos.generations"));
    return {
      ...videoRow.env(around),
      ASSETS_ADDR: around.address("media", "ASSETS_GRPC_PORT"),
      NOTIFICATIONS_ADDR: around.grpc("notifications"),
      ...(ofVideo.every(({ name }) => simulated.includes(name)) && simulatedPolling),
    };
  },
};

/** Rows of capability services with further settings. */
const particular: Partial<Record<ServiceName, ServiceRow>> = { media, video };

/** Every service of the fleet in start order; they are stopped in reverse. */
export const services: readonly ServiceRow[] = [
  {
    name: "billing",
    peer: "billing",
    entry: "services/billing/src/main.ts",
    ports: ["GRPC_PORT", "ADMIN_PORT"],
    ...health,
    env: ({ secrets, catalogFile, dataDir, egressAllow }) => ({
      ARCHIVE_DIR: join(dataDir, "archive"),
      CREDENTIAL_KEY: secrets.credential_key.current,
      CREDENTIAL_KEY_PREVIOUS: secrets.credential_key.previous.join(","),
      EGRESS_ALLOW: egressAllow,
      KEY_PEPPER: secrets.key_pepper,
      ADMIN_TOKEN: secrets.admin.token,
      CONSOLE_ADMIN_TOKEN: secrets.console_admin_token,
      CATALOG_FILE: catalogFile,
    }),
  },
  {
    name: "metering",
    peer: "metering",
    entry: "services/metering/src/main.ts",
    ports: ["GRPC_PORT", "ADMIN_PORT"],
    ...health,
    env: ({ batchKey, grpc, dataDir }) => ({
      BILLING_ADDR: grpc("billing"),
      NOTIFICATIONS_ADDR: grpc("notifications"),
      ARCHIVE_DIR: join(dataDir, "archive"),
      USAGE_MAC_KEYS: serviceNames.map((name) => `${name}:${batchKey(name)}`).join(),
    }),
  },
  {
    name: "auditor",
    peer: "auditor",
    entry: "services/auditor/src/main.ts",
    ports: ["ADMIN_PORT"],
    // Inexact books are reported, but must not prevent a start.
    ready: ["ADMIN_PORT", health.alive],
    alive: health.alive,
    env: ({ auditKey, providers, callerEnv: env, simulatorUrl }) => ({
      AUDIT_KEY: auditKey,
      ...adminSettings(providers, { env, simulated: simulatedProviders(providers, env), simulatorUrl }),
    }),
  },
  {
    name: "notifications",
    peer: "notifications",
    entry: "services/notifications/src/main.ts",
    ports: ["GRPC_PORT", "ADMIN_PORT"],
    ...health,
    env: ({ port, secrets, egressAllow, callerEnv }) => ({
      EGRESS_ALLOW: egressAllow,
      // The operator of a single machine creates all alerts.
      MAIL_CONFIRMED_DOMAINS: callerEnv["MAIL_CONFIRMED_DOMAINS"] ?? "*",
      PUBLIC_URL: publicUrl(port),
      WEBHOOK_KEY: secrets.webhook_key.current,
      WEBHOOK_KEY_PREVIOUS: secrets.webhook_key.previous.join(","),
    }),
  },
  ...serviceNames.map((name) => particular[name] ?? capability(name)),
  {
    name: "mcp",
    entry: "services/mcp/src/main.ts",
    ports: ["PORT", "ADMIN_PORT"],
    ...health,
    env: ({ port, egressAllow }) => ({
      GATEWAY_URL: publicUrl(port),
      EGRESS_ALLOW: egressAllow,
      LINGER_MS: lingerMs,
      DRAIN_MS: drainMs,
    }),
  },
  {
    name: "console",
    peer: "console",
    entry: "services/console/src/main.ts",
    ports: ["PORT", "ADMIN_PORT"],
    ...health,
    env: ({ port, secrets, grpc, adminAddress, simulatorUrl, providers, callerEnv }) => ({
      SIMULATED_PROVIDER_VARIABLES: providerStates(providers, callerEnv)
        .filter(({ state }) => state === "simulated")
        .map(({ name, variable }) => `${name}=${variable}`)
        .join(),
      GATEWAY_URL: publicUrl(port),
      CONTENT_ORIGINS: `https:,${simulatorUrl}`,
      ADMIN_URL: `http://${adminAddress}/admin/v1`,
      BILLING_ADDR: grpc("billing"),
      NOTIFICATIONS_ADDR: grpc("notifications"),
      CONSOLE_ADMIN_TOKEN: secrets.console_admin_token,
      TOTP_KEY: secrets.totp_key.current,
      TOTP_KEY_PREVIOUS: secrets.totp_key.previous.join(","),
      FIRST_EMAIL: secrets.admin.email,
      FIRST_PASSWORD: secrets.admin.password,
      LINGER_MS: lingerMs,
      DRAIN_MS: drainMs,
    }),
  },
  {
    name: "router",
    peer: "router",
    entry: "gateway/src/main.ts",
    ports: ["PORT", "ADMIN_PORT"],
    ...health,
    env: ({ port, secrets, grpc, address, balanced }) => ({
      ...(!balanced && { PORT: String(port) }),
      PUBLIC_URL: publicUrl(port),
      // On one machine with one user, the admin API may share the public port.
      ADMIN_ON_PUBLIC_PORT: "on",
      ADMIN_TRUSTED_HOPS: "1",
      RECEIPT_KEY: secrets.receipt_key.current,
      RECEIPT_KEY_PREVIOUS: secrets.receipt_key.previous.join(","),
      KEY_PEPPER: secrets.key_pepper,
      BILLING_ADDR: grpc("billing"),
      METERING_ADDR: grpc("metering"),
      NOTIFICATIONS_ADDR: grpc("notifications"),
      ...Object.fromEntries(serviceNames.map((name) => [addressSetting(name), grpc(name)])),
      ASSETS_URL: urlsOf(address("media", "ASSETS_PORT")),
      CONSOLE_URL: urlsOf(address("console", "PORT")),
      MCP_URL: urlsOf(address("mcp", "PORT")),
      LINGER_MS: lingerMs,
      DRAIN_MS: drainMs,
    }),
  },
];
