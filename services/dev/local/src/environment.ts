import { createHmac } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { CatalogError } from "@uag/catalog/catalog-error";
import { type ProviderEnvironment, providerEnvironments } from "@uag/catalog/provider-environment";
import type { Engines } from "./engines/start.ts";
import { repoRoot } from "./paths.ts";
import type { Ports } from "./ports.ts";
import { type Environment, services, simulator } from "./processes.ts";
import type { Secrets } from "./secrets.ts";
import { portName, replicaNames } from "./service-processes.ts";
import { UserError } from "./terminal/step.mjs";

export interface EnvironmentOptions {
  dataDir: string;
  /** Port of the public server. */
  port: number;
  /** Port of the balancer's admin side; undefined without a balancer. */
  balancerAdminPort: number | undefined;
  ports: Ports;
  engines: Engines;
  secrets: Secrets;
  /** Number of processes per service; default 1. */
  replicas: Readonly<Record<string, number>>;
  /** Comma-separated `host:port`s that users' URLs may name in addition to the simulator's. */
  egressAllow?: string | undefined;
  /** Settings of every service; they take precedence over the caller's environment. */
  env: Readonly<Record<string, string>>;
}

/**
 * Determines every address before anything is started, so that services may refer to each other in
 * any order.
 */
export async function environmentOf(options: EnvironmentOptions): Promise<Environment> {
  const { dataDir, port, balancerAdminPort, ports, engines, secrets, replicas } = options;
  const addresses = new Map<string, string>();
  for (const { name, ports: variables } of services) {
    for (const variable of variables) {
      const ofReplicas: string[] = [];
      for (const replica of replicaNames(name, replicas[name] ?? 1))
        ofReplicas.push(`127.0.0.1:${await ports.get(portName(replica, variable))}`);
      addresses.set(portName(name, variable), ofReplicas.join(","));
    }
  }
  const simulatorAddress = `127.0.0.1:${await ports.get(portName(simulator.name, "PORT"))}`;
  const addressOf = (service: string, variable: string): string => {
    const address = addresses.get(portName(service, variable));
    if (address === undefined) throw new Error(`${service} has no ${variable}`);
    return address;
  };
  const catalog = options.env["CATALOG_FILE"] || process.env["CATALOG_FILE"] || "infra/config/catalog.yaml";
  const catalogFile = resolve(repoRoot, catalog);
  const derived = (use: string): string => createHmac("sha256", secrets.engines).update(use).digest("hex");
  return {
    dataDir,
    port,
    engineSettings: engines.settingsFor,
    batchKey: (publisher) => derived(`usage/${publisher}`),
    auditKey: derived("audit/checkpoints"),
    simulatorUrl: `http://${simulatorAddress}`,
    // The simulator's images are fetched from it, so its address is always allowed.
    egressAllow: [simulatorAddress, options.egressAllow].filter(Boolean).join(","),
    secrets,
    catalogFile,
    providers: await providersIn(catalogFile),
    callerEnv: process.env,
    grpc: (service) => addressOf(service, "GRPC_PORT"),
    address: addressOf,
    balanced: balancerAdminPort !== undefined,
    adminAddress:
      balancerAdminPort === undefined ? addressOf("router", "ADMIN_PORT") : `127.0.0.1:${balancerAdminPort}`,
  };
}

/** @throws {UserError} when the catalogue is unreadable or invalid */
async function providersIn(catalogFile: string): Promise<ProviderEnvironment[]> {
  try {
    return providerEnvironments(await readFile(catalogFile, "utf8"));
  } catch (error) {
    const fileMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    if (!fileMissing && !(error instanceof CatalogError)) throw error;
    const fault = fileMissing ? "The file does not exist." : (error as CatalogError).message;
    throw new UserError(`${catalogFile}: ${fault}\nCorrect the catalogue, or set CATALOG_FILE to another file.`);
  }
}
